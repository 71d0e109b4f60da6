import { type StallCase, stallCase } from '../case';
import { KIB, letters, nestedLists, repeated, words } from './builders';

const value = (expression: string): unknown[] => [{ id: 'it', type: 'set', config: { v: `{{ ${expression} }}` } }];
const items = (count: number, item: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => item(index));

const nestedTry = (depth: number): unknown =>
  depth === 0
    ? { id: 'boom', type: 'fail', config: { message: 'x' } }
    : {
        id: `try_${depth}`,
        type: 'try',
        steps: [nestedTry(depth - 1)],
        catch: [{ id: `catch_${depth}`, type: 'fail', config: { message: '{{ error.message }}' } }],
        finally: [{ id: `finally_${depth}`, type: 'set', config: { a: 1 } }],
      };

/** Expressions, control flow, and documents that are checked and saved. */
export const language: readonly StallCase[] = [
  stallCase('expression: sort of 60,000 texts', async (stage, dice) => {
    const list = items(60_000, () => letters(dice, 8));
    await stage.flow(value('trigger.body.list | sort | length'), { body: { list }, ends: 'either' });
  }),
  stallCase('expression: unique of 30,000 objects', async (stage) => {
    const list = items(30_000, (index) => ({ a: index, b: [index] }));
    await stage.flow(value('trigger.body.list | unique | length'), { body: { list }, ends: 'either' });
  }),
  stallCase('expression: group_by of 60,000 objects', async (stage) => {
    const list = items(60_000, (index) => ({ a: `g${index}` }));
    await stage.flow(value('trigger.body.list | group_by("a") | keys | length'), { body: { list }, ends: 'either' });
  }),
  stallCase('expression: comparison of large values', async (stage) => {
    const list = items(60_000, (index) => ({ a: index }));
    const comparisons = repeated('trigger.body.list == trigger.body.other && ', 2 * KIB);
    await stage.flow(value(`${comparisons} true`), { body: { list, other: list }, ends: 'either' });
  }),
  stallCase('expression: a pattern with repetitions', async (stage) => {
    const pattern = '(a{0,100}){0,10}b';
    await stage.flow(value(`match(trigger.body.text, "${pattern}")`), {
      body: { text: repeated('a', 4_000) },
      ends: 'either',
    });
  }),
  stallCase('expression: a pattern over 900 KB', async (stage, dice) => {
    await stage.flow(value('extract(trigger.body.text, "([a-z]+)x$")'), {
      body: { text: words(dice, 900_000) },
      ends: 'either',
    });
  }),
  stallCase('expression: title and slug of 190 KB', async (stage, dice) => {
    const config = { a: '{{ trigger.body.text | title | length }}', b: '{{ trigger.body.text | slug | length }}' };
    await stage.flow([{ id: 'it', type: 'set', config }], { body: { text: words(dice, 190_000) }, ends: 'either' });
  }),
  stallCase('expression: thousands in one step', async (stage) => {
    const config = Object.fromEntries(
      items(1_900, (index) => [`k${index}`, '{{ trigger.body.n + 1 }}']) as [string, string][],
    );
    await stage.flow([{ id: 'it', type: 'set', config }], { body: { n: 1 }, ends: 'either' });
  }),
  stallCase('expression: thousands of parts in one text', async (stage) => {
    const text = 'a {{ trigger.body.n }} b '.repeat(1_900);
    await stage.flow([{ id: 'it', type: 'set', config: { text } }], { body: { n: 1 }, ends: 'either' });
  }),
  stallCase('expression: long sums of operators', async (stage) => {
    await stage.flow(value(`1${repeated('+1', 1_900)}`), { ends: 'either' });
  }),
  stallCase('expression: parse_json of 900 KB', async (stage) => {
    const text = JSON.stringify(items(100_000, (index) => [index % 10]));
    await stage.flow(value('parse_json(trigger.body.text) | length'), { body: { text }, ends: 'either' });
  }),
  stallCase('control: 50 branches in parallel, nine steps each', async (stage) => {
    const branches = items(50, (n) => ({
      id: `b${n}`,
      steps: items(9, (k) => ({ id: `s${n}_${k}`, type: 'set', config: { v: '{{ trigger.body.n }}' } })),
    }));
    await stage.flow([{ id: 'wide', type: 'parallel', branches }], { body: { n: 1 } });
  }),
  stallCase('control: 490 steps without needs at once', async (stage) => {
    const first = { id: 'first', type: 'set', config: { a: 1 } };
    const rest = items(490, (n) => ({ id: `s${n}`, type: 'set', needs: ['first'], config: { v: n } }));
    await stage.flow([first, ...rest]);
  }),
  stallCase('control: try within try, each fails', async (stage) => {
    await stage.flow([nestedTry(8)], { ends: 'failed' });
  }),
  stallCase('control: foreach of 5,000 items, 100 at a time', async (stage) => {
    const steps = [{ id: 'in', type: 'set', config: { v: '{{ loop.item + 1 }}' } }];
    const each = { id: 'each', type: 'foreach', config: { items: '{{ range(5000) }}', concurrency: 100 }, steps };
    await stage.flow([each]);
  }),
  stallCase('control: foreach over large items', async (stage, dice) => {
    const list = items(300, () => words(dice, 3_000));
    const steps = [{ id: 'in', type: 'set', config: { v: '{{ loop.item | upper }}' } }];
    const each = { id: 'each', type: 'foreach', config: { items: '{{ trigger.body.list }}', concurrency: 100 }, steps };
    await stage.flow([each], { body: { list } });
  }),
  stallCase('control: nested foreach', async (stage) => {
    const inner = [{ id: 'in', type: 'set', config: { v: '{{ loop.item }}' } }];
    const middle = {
      id: 'middle',
      type: 'foreach',
      config: { items: '{{ range(40) }}', concurrency: 20 },
      steps: inner,
    };
    const each = {
      id: 'each',
      type: 'foreach',
      config: { items: '{{ range(40) }}', concurrency: 20 },
      steps: [middle],
    };
    await stage.flow([each]);
  }),
  stallCase('control: one output read by 200 steps', async (stage) => {
    const big = { id: 'big', type: 'set', config: { list: '{{ trigger.body.list }}' } };
    const readers = items(200, (n) => ({
      id: `r${n}`,
      type: 'set',
      needs: ['big'],
      config: { n: '{{ steps.big.list | length }}' },
    }));
    await stage.flow([big, ...readers], { body: { list: items(40_000, (index) => ({ a: index })) } });
  }),
  stallCase('document: 40,000 steps', async (stage) => {
    const steps = items(40_000, (n) => ({ id: `s${n}`, type: 'st', config: {} }));
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400, 413] });
  }),
  stallCase('document: 500 steps with 20 misspelt keys each', async (stage) => {
    const keys = Object.fromEntries(items(20, (n) => [`cnfig${n}`, 1]) as [string, number][]);
    const steps = items(500, (n) => ({
      id: `s${n}`,
      type: 'sett',
      config: { v: '{{ steps.nope.x | uper }}' },
      ...keys,
    }));
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400] });
  }),
  stallCase('document: 20,000 expressions', async (stage) => {
    const config = Object.fromEntries(
      items(1_900, (n) => [`k${n}`, `{{ trigger.body.a${n} ?? "x" | upper }}`]) as [string, string][],
    );
    const steps = items(10, (n) => ({ id: `s${n}`, type: 'set', config }));
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400, 413] });
  }),
  stallCase('document: needs of everything before', async (stage) => {
    const ids = items(400, (n) => `s${n}`) as string[];
    const steps = ids.map((id, n) => ({ id, type: 'set', config: {}, needs: ids.slice(0, n) }));
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400] });
  }),
  stallCase('document: cron that never fires', async (stage) => {
    const dsl = { id: 'flow', trigger: { type: 'schedule', config: { cron: '0 0 30 2 *' } }, steps: value('1') };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400] });
  }),
  stallCase('document: code of 64 KiB', async (stage) => {
    const source = `return ${repeated('(a=>', 60 * KIB)}`;
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [{ id: 'it', type: 'code', config: { source } }] };
    await stage.send('POST', '/api/v1/workflows/validate', JSON.stringify({ dsl }), { statuses: [200, 400] });
  }),
  stallCase('json: deep nesting in a webhook', async (stage) => {
    const id = await stage.save(value('1'));
    const statuses = [202, 400, 413];
    await stage.send('POST', `/webhooks/${id}`, nestedLists(2_000_000), { statuses });
  }),
];
