import { type StallCase, stallCase } from '../case';
import type { Stage } from '../stage';
import { jsonRows, KIB, letters, MIB, repeated, words } from './builders';

const items = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const fields = <T>(count: number, name: (index: number) => string, member: (index: number) => T) =>
  Object.fromEntries(items(count, (index) => [name(index), member(index)] as const));

/** Saves a workflow with these members, and starts it by its webhook, which may refuse the body. */
async function start(stage: Stage, more: object, body: unknown): Promise<void> {
  const id = await stage.save([{ id: 'it', type: 'set', config: { v: 1 } }], more);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  await stage.send('POST', `/webhooks/${id}`, text, { statuses: [202, 400, 422] });
}

const keyed = (expression: string) => ({ concurrency: { key: `{{ ${expression} }}` } });
const labelled = (expression: string) => ({ labels: { a: `{{ ${expression} }}`, b: 'x' } });
const deduped = (expression: string) => ({ trigger: { type: 'http', config: { dedupe: `{{ ${expression} }}` } } });

const rows = (): string => `{"rows":${jsonRows(9 * MIB)}}`;
const manyStates = 'match(trigger.body.text, "(a|b)*a(a|b){60}c")';

/** What evaluates the body of a request before its run begins. */
const evaluated = (name: string, more: (expression: string) => object): StallCase[] => [
  stallCase(`${name}: a body of 9 MB`, (stage) => start(stage, more('trigger.body'), rows())),
  stallCase(`${name}: a text of 9 MB`, async (stage, dice) => {
    await start(stage, more('trigger.body.text'), { text: words(dice, 9 * MIB) });
  }),
  stallCase(`${name}: sort of 60,000 texts`, async (stage, dice) => {
    await start(stage, more('trigger.body.list | sort'), { list: items(60_000, () => letters(dice, 8)) });
  }),
  stallCase(`${name}: unique of 30,000 objects`, async (stage) => {
    await start(stage, more('trigger.body.list | unique | length'), {
      list: items(30_000, (index) => ({ a: index, b: [index] })),
    });
  }),
  stallCase(`${name}: a pattern of many states`, async (stage) => {
    await start(stage, more(manyStates), { text: `${repeated('ab', 40_000)}d` });
  }),
];

const nestedAnyOf = (depth: number): object =>
  depth === 0 ? { type: 'string' } : { anyOf: items(4, () => ({ properties: { a: nestedAnyOf(depth - 1) } })) };
const nestedObject = (depth: number): object => (depth === 0 ? { a: 1 } : { a: nestedObject(depth - 1) });

const withInputs = (schema: object) => ({ inputs: { type: 'object', ...schema } });

/** Checks of a body against the schema of the workflow. */
const inputs: readonly StallCase[] = [
  stallCase('inputs: nested anyOf', async (stage) => {
    const list = { type: 'array', items: nestedAnyOf(4) };
    await start(stage, withInputs({ properties: { list } }), { list: items(2_000, () => nestedObject(5)) });
  }),
  stallCase('inputs: patternProperties over many members', async (stage) => {
    const patternProperties = fields(
      40,
      (n) => `^(a|b)*${n}$`,
      () => ({ type: 'number' }),
    );
    await start(
      stage,
      withInputs({ patternProperties }),
      fields(
        20_000,
        (n) => `ab${n}`,
        () => 1,
      ),
    );
  }),
  stallCase('inputs: uniqueItems of 40,000 objects', async (stage) => {
    const schema = withInputs({ properties: { list: { uniqueItems: true } } });
    await start(stage, schema, { list: items(40_000, (index) => ({ a: index })) });
  }),
  stallCase('inputs: uniqueItems of two lists of 4 MB', async (stage) => {
    const schema = withInputs({ properties: { list: { uniqueItems: true } } });
    await start(stage, schema, `{"list":[${jsonRows(4 * MIB)},${jsonRows(4 * MIB)}]}`);
  }),
  stallCase('inputs: values of an enum against 9 MB', async (stage) => {
    const rule = { enum: items(50, (index) => ({ a: index })) };
    await start(stage, withInputs({ properties: { rows: { anyOf: items(20, () => rule) } } }), rows());
  }),
  stallCase('inputs: a pattern of many states over 80 KB', async (stage) => {
    const schema = withInputs({ properties: { text: { pattern: '(a|b)*a(a|b){60}c' } } });
    await start(stage, schema, { text: `${repeated('ab', 80 * KIB)}d` });
  }),
  stallCase('inputs: 1,900 formats of a text of 200 KB', async (stage) => {
    const anyOf = items(1_900, () => ({ format: 'uri' }));
    const schema = withInputs({ properties: { text: { anyOf } } });
    await start(stage, schema, { text: `x:${repeated('a', 200 * KIB)} ` });
  }),
  stallCase('inputs: names of 30,000 members', async (stage) => {
    const allOf = items(900, () => ({ patternProperties: {}, propertyNames: true }));
    await start(
      stage,
      withInputs({ allOf }),
      fields(
        30_000,
        (n) => `k${n}`,
        () => 1,
      ),
    );
  }),
];

/** Expressions and schemas that are evaluated before a run begins. */
export const starts: readonly StallCase[] = [
  ...evaluated('concurrency key', keyed),
  ...evaluated('labels', labelled),
  ...evaluated('webhook dedupe', deduped),
  ...inputs,
];
