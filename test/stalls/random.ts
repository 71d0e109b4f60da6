import { FUNCTIONS } from '../../dsl/expression/functions';
import { isObject } from '../../lib/json';
import { Dice, hashOf } from '../simulation/chance';
import { type StallCase, stallCase } from './case';
import { KIB, letters, nestedLists, repeated, rowsOf, wideObject, words } from './corpus/builders';
import type { Stage } from './stage';

/** Texts of about 1 MB each that are hard for different algorithms. */
const VALUES: Readonly<Record<string, (dice: Dice) => unknown>> = {
  'a long text': (dice) => words(dice, 900 * KIB),
  'one letter, long': () => repeated('a', 900 * KIB),
  'alternating letters': () => repeated('ab', 900 * KIB),
  'white space': () => repeated(' \t', 900 * KIB),
  'combining characters': () => repeated('e\u0301\u0327', 300 * KIB),
  percents: () => repeated('%41', 900 * KIB),
  digits: (dice) => Array.from({ length: 200_000 }, () => dice.between(0, 9)).join(''),
  'a list of numbers': (dice) => Array.from({ length: 90_000 }, () => dice.between(0, 1e9)),
  'a list of texts': (dice) => Array.from({ length: 60_000 }, () => letters(dice, 8)),
  'a list of equal texts': () => Array.from({ length: 60_000 }, () => 'equal text'),
  'a list of objects': (dice) => rowsOf(dice, 14_000),
  'a list of lists': () => Array.from({ length: 90_000 }, () => [[1]]),
  'long numbers as texts': (dice) => Array.from({ length: 400 }, () => `${dice.between(1, 9)}${repeated('0', 2_000)}`),
  'a wide object': () => JSON.parse(wideObject(25_000)) as unknown,
  'a deep list': () => JSON.parse(nestedLists(40)) as unknown,
  'JSON text': () => JSON.stringify(Array.from({ length: 90_000 }, (_, index) => ({ a: index % 10 }))),
};

const SMALL = ['1', '"a"', '"(a|b)*c"', '"YYYY-MM-DD"', '","', '2', '""', 'null', '"asc"', '{}', '[]'];

/** Random cases: calls of functions, configurations of node types, and bodies of requests, with hostile values. */
export async function randomCases(stage: Stage, seed: number, count: number): Promise<StallCase[]> {
  const dice = new Dice(hashOf('random', seed));
  const types = await pureTypes(stage);
  const paths = await pathsWithBodies(stage);
  const makers = [
    () => callCase(dice),
    () => callCase(dice),
    () => nodeCase(dice, types),
    () => requestCase(dice, paths),
  ];
  return Array.from({ length: count }, () => dice.pick(makers)());
}

function callCase(dice: Dice): StallCase {
  const name = dice.pick([...FUNCTIONS.keys()]);
  const [shape, make] = dice.pick(Object.entries(VALUES));
  const { min, max } = FUNCTIONS.get(name) as { min: number; max: number };
  const count = dice.between(min, Math.min(max, 4));
  const others = Array.from({ length: Math.max(0, count - 1) }, () => dice.pick([...SMALL, 'trigger.body.v']));
  const call = count === 0 ? `${name}()` : `${name}(${['trigger.body.v', ...others].join(', ')})`;
  return stallCase(`random: ${call} of ${shape}`, async (at, own) => {
    const steps = [{ id: 'it', type: 'set', config: { v: `{{ ${call} | type }}` } }];
    await runIfSaved(at, steps, { v: make(own) });
  });
}

function nodeCase(dice: Dice, types: readonly NodeTypeInfo[]): StallCase {
  const { type, input } = dice.pick(types);
  const [shape, make] = dice.pick(Object.entries(VALUES));
  const config: Record<string, unknown> = {};
  const properties = Object.entries(input.properties ?? {});
  const required = new Set(input.required ?? []);
  for (const [name, schema] of properties) {
    if (!required.has(name) && dice.chance(0.5)) continue;
    if (Array.isArray(schema.enum)) config[name] = dice.pick(schema.enum);
    else if (schema.type === 'boolean') config[name] = dice.chance(0.5);
    else if (schema.type === 'integer') config[name] = dice.between(0, 10);
    else if (Array.isArray(schema.examples) && dice.chance(0.3)) config[name] = dice.pick(schema.examples);
    else config[name] = '{{ trigger.body.v }}';
  }
  return stallCase(`random: ${type} ${Object.keys(config).join(',')} of ${shape}`, async (at, own) => {
    await runIfSaved(at, [{ id: 'it', type, config }], { v: make(own) });
  });
}

function requestCase(dice: Dice, operations: readonly Operation[]): StallCase {
  const { method, path, members } = dice.pick(operations);
  const member = dice.pick(members);
  const [shape, make] = dice.pick(Object.entries(VALUES));
  return stallCase(`random: ${method} ${path} with ${member} of ${shape}`, async (at, own) => {
    const address = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
    const answer = await at.api.ask(method, address, { [member]: make(own) });
    if (answer.status >= 500) throw new Error(`${method} ${address} answered ${answer.status}`);
  });
}

/** Random configurations may be refused at once, which is a valid result. */
async function runIfSaved(stage: Stage, steps: readonly unknown[], body: unknown): Promise<void> {
  const dsl = { id: 'flow', trigger: { type: 'http' }, steps };
  const saved = await stage.api.ask<{ id: string }>('POST', '/api/v1/workflows', { name: stage.name('flow'), dsl });
  if (saved.status === 201) await stage.start(saved.body.id, body, 'either');
  else if (saved.status !== 400) throw new Error(`The workflow was answered with ${saved.status}`);
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, { type?: unknown; enum?: unknown[]; examples?: unknown[] }>>;
  readonly required?: readonly string[];
}

interface NodeTypeInfo {
  readonly type: string;
  readonly input: InputSchema;
}

async function pureTypes(stage: Stage): Promise<NodeTypeInfo[]> {
  const { data } = await stage.api.call<{ data: (NodeTypeInfo & { kind: string; effect: string })[] }>(
    'GET',
    '/api/v1/node-types',
  );
  return data.filter(
    ({ kind, effect, type }) => kind === 'work' && effect === 'pure' && !/wait|approval|sub_/.test(type),
  );
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly members: readonly string[];
}

/** Operations with a JSON body that neither end the session nor ask anybody outside. */
async function pathsWithBodies(stage: Stage): Promise<Operation[]> {
  const document = await stage.api.call<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json');
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (!['post', 'put'].includes(method) || /logout|password|billing|sso|playground|generate/.test(path)) return [];
      const schema = bodySchema(operation);
      return schema === null ? [] : [{ method: method.toUpperCase(), path, members: Object.keys(schema) }];
    }),
  );
}

/** The members of the JSON body of an operation; null where it has none that are named. */
function bodySchema(operation: unknown): Record<string, unknown> | null {
  const found = ['requestBody', 'content', 'application/json', 'schema', 'properties'].reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    operation,
  );
  return isObject(found) && Object.keys(found).length > 0 ? found : null;
}
