import { isObject, type Json, type JsonObject, jsonSize } from '../../../lib/json';
import { CASE_SECRET } from '../../nodes/node-case';

/** What an author may write anywhere, and what data from outside may put there. */
const ODD: readonly Json[] = [
  null,
  false,
  -1,
  0.5,
  1e308,
  '',
  '\0',
  '__proto__',
  'é😀\ud800 %ff',
  'x'.repeat(5_000),
  CASE_SECRET,
  [],
  [null],
  {},
  JSON.parse('{"__proto__":{"a":1},"constructor":null}') as Json,
  nested(150),
];

/** What is deeper, further on in a list, or in an input that is large to prove a limit, is left as it is. */
const DEEPEST = 4;
const ITEMS = 2;
const LARGEST = 10_000;

/** Most of them that are tried of one input, evenly spread. */
const MOST = 60;

/** The same input with one member changed, or left out. */
export function variants(input: JsonObject): JsonObject[] {
  if (jsonSize(input, LARGEST) > LARGEST) return [];
  const all = pathsIn(input, DEEPEST).flatMap((path) => changesAt(input, path));
  const count = Math.min(all.length, MOST);
  return Array.from({ length: count }, (_, n) => (all[Math.floor((n * all.length) / count)] as () => JsonObject)());
}

/** Made when wanted: there are very many. */
function changesAt(input: JsonObject, path: string[]): (() => JsonObject)[] {
  const before = path.reduce<Json>((value, key) => (value as JsonObject)[key] as Json, input);
  const to = [...ODD, ...(typeof before === 'string' ? [`${before}${CASE_SECRET}`] : []), undefined];
  return to.map((value) => () => changed(input, path, value) as JsonObject);
}

function nested(depth: number): Json {
  let value: Json = 1;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function pathsIn(value: Json, deepest: number): string[][] {
  if (deepest === 0 || (!Array.isArray(value) && !isObject(value))) return [];
  const members = Object.entries(value);
  return members
    .slice(0, Array.isArray(value) ? ITEMS : members.length)
    .flatMap(([key, member]) => [[key], ...pathsIn(member as Json, deepest - 1).map((rest) => [key, ...rest])]);
}

function changed(value: Json, [key, ...rest]: string[], to: Json | undefined): Json {
  const copy = structuredClone(value) as JsonObject;
  if (key === undefined) return copy;
  const member = rest.length === 0 ? to : changed(copy[key] as Json, rest, to);
  if (member === undefined) delete copy[key];
  else copy[key] = member;
  return copy;
}
