/** Changes values in the text of a JSON document, and leaves the rest of the text as it is. Pure. */
import { isObject, type Json } from '../../lib/json';

export type JsonPath = readonly (string | number)[];

/** A part of a text: from its first character up to the one behind it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member of an object or an item of a list. `from`: where its key, or the item itself, begins. */
interface Member extends Span {
  readonly key: string | number;
  readonly from: number;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const DEFAULT_INDENT = '  ';

/** The text with another value at a path. The last part of the path may be a new member, which becomes the last one. */
export function withValue(text: string, path: JsonPath, value: Json): string {
  const known = spanAt(text, path);
  if (known !== null)
    return spliced(text, known, written(text, known.start, text.slice(known.start, known.end), value));
  const holder = spanAt(text, path.slice(0, -1));
  if (holder === null) throw new RangeError(`There is nothing at ${path.join('.')}`);
  const key = `${JSON.stringify(path.at(-1))}: `;
  const last = membersOf(text, holder.start).at(-1);
  if (last === undefined) return spliced(text, holder, `{ ${key}${inline(value)} }`);
  // As the last member is separated from what is before it.
  const gap = /\s*$/.exec(text.slice(0, last.from))?.[0] ?? '';
  const like = gap.includes('\n') ? '\n' : '';
  const end = { start: last.end, end: last.end };
  return spliced(text, end, `,${gap === '' ? ' ' : gap}${key}${written(text, last.from, like, value)}`);
}

const spliced = (text: string, { start, end }: Span, by: string): string => text.slice(0, start) + by + text.slice(end);

/** A value as text: in one line unless what it replaces has several. */
function written(text: string, at: number, before: string, value: Json): string {
  const isPlain = !Array.isArray(value) && !isObject(value);
  if (isPlain || (!before.includes('\n') && before !== '')) return inline(value);
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1);
  const margin = /^[ \t]*/.exec(line)?.[0] ?? '';
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? DEFAULT_INDENT;
  if (before === '') return inline(value);
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${margin}`);
}

function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${inline(each)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Where the value at a path is; null where there is none. */
function spanAt(text: string, path: JsonPath): Span | null {
  let span: Span = valueAt(text, 0);
  for (const part of path) {
    const member = membersOf(text, span.start).find(({ key }) => key === part);
    if (member === undefined) return null;
    span = member;
  }
  return span;
}

/** The first value from a position on. */
function valueAt(text: string, from: number): Span {
  let [start, depth] = [-1, 0];
  for (const { 0: token, index } of tokensFrom(text, from)) {
    if (start < 0) start = index;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return { start, end: index + token.length };
  }
  throw new RangeError('The text is no JSON');
}

/** Of the object or list that begins there; none for any other value. */
function membersOf(text: string, at: number): Member[] {
  const members: Member[] = [];
  const isList = text[at] === '[';
  if (!isList && text[at] !== '{') return members;
  for (let from = at + 1; ; ) {
    const first = tokensFrom(text, from).next().value;
    if (first === undefined || first[0] === '}' || first[0] === ']') return members;
    if (first[0] === ',') {
      from = first.index + 1;
      continue;
    }
    const value = valueAt(text, isList ? first.index : text.indexOf(':', first.index + first[0].length) + 1);
    const key = isList ? members.length : (JSON.parse(first[0]) as string);
    members.push({ key, from: first.index, ...value });
    from = value.end;
  }
}

function* tokensFrom(text: string, from: number): Generator<RegExpExecArray, undefined> {
  const tokens = new RegExp(TOKEN);
  tokens.lastIndex = from;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) yield token;
}
