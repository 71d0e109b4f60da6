import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;

beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const set = (id: string, config: JsonObject, more: JsonObject = {}): Json => ({ id, type: 'set', config, ...more });
const ask = (body: JsonObject) => ann.request('POST', '/api/v1/expressions/evaluate', body);
/** The results of some expressions. */
async function results(expressions: readonly string[], more: JsonObject = {}): Promise<JsonObject[]> {
  const { status, body } = await ask({ items: expressions.map((expression) => ({ expression })), ...more });
  expect(status).toBe(200);
  return body.results as JsonObject[];
}
const values = async (expressions: readonly string[], more: JsonObject = {}): Promise<Json[]> =>
  (await results(expressions, more)).map(({ value, error }) => error ?? value ?? null);

describe('with sample data', () => {
  const sample = { trigger: { n: 2, list: [1, 2, 3] }, steps: { fetch: { body: { total: 7 } } }, loop: { index: 4 } };

  it('answers the value and the type of each, in their order', async () => {
    const all = await results(
      ['trigger.n * 3', 'trigger.list', 'steps.fetch.body', 'null', '"a" + loop.index', 'trigger.n > 1'],
      { context: { sample } },
    );
    expect(all.map(({ type, value }) => [type, value])).toEqual([
      ['number', 6],
      ['array', [1, 2, 3]],
      ['object', { total: 7 }],
      ['null', null],
      ['string', 'a4'],
      ['boolean', true],
    ]);
    expect(all[1]).toMatchObject({ truncated: false, size: 7, error: null });
  });

  it('evaluates templates of any shape, and conditions in which what is missing is null', async () => {
    const template = { text: 'n is {{ trigger.n }}', n: ['{{ trigger.n }}'] };
    const lenient = { expression: 'trigger.none.deeper', lenient: true };
    const { body } = await ask({ items: [{ template }, lenient, { template: null }], context: { sample } });
    expect((body.results as JsonObject[]).map(({ value, error }) => error ?? value)).toEqual([
      { text: 'n is 2', n: [2] },
      null,
      null,
    ]);
  });

  it('says of a faulty one what is wrong and where, and evaluates the others', async () => {
    const all = await results(['1 +', 'trigger.none', 'nope(1)', 'trigger.n'], { context: { sample } });
    expect(all.map(({ error }) => (error as JsonObject | null)?.source)).toEqual([
      '1 +',
      'trigger.none',
      'nope(1)',
      undefined,
    ]);
    expect(all[0]).toMatchObject({ type: null, error: { position: 3 } });
    expect(all[1]).toMatchObject({ error: { message: expect.stringContaining('none') } });
    expect(all[3]).toMatchObject({ value: 2, error: null });
    const neither = await ask({ items: [{}, { expression: '1', template: 2 }] });
    expect((neither.body.results as JsonObject[]).map(({ error }) => error !== null)).toEqual([true, true]);
  });

  it('shows the beginning of a long value, with its length', async () => {
    const [text, list] = await results(['pad("", 100000, "x")', 'range(0, 10000)'], {});
    expect(text).toMatchObject({ type: 'string', truncated: true, size: 100_002 });
    expect(String(text?.value).length).toBeLessThanOrEqual(33_000);
    expect(list).toMatchObject({ type: 'array', truncated: true });
    expect(list).toMatchObject({ value: expect.arrayContaining([0, 1, 2]) as unknown });
  });

  it('ends what takes too long, as a run does', async () => {
    const nested = 'range(0, 9999) | map_field("a") | json | length';
    const endless = Array.from({ length: 40 }, () => `(${nested})`).join(' + ');
    const [slow] = await results([endless], {});
    expect(slow).toMatchObject({ type: null, error: { message: expect.any(String) } });
  });

  it('has the constants of the tenant, and the outputs that a document pins', async () => {
    await ann.request('PUT', '/api/v1/variables/region', { value: 'eu' });
    const dsl = { id: 'd', steps: [set('a', {}, { pin: { v: 'pin' } }), set('b', {}, { pin: { v: 'pin' } })] };
    const more = { dsl, context: { sample: { steps: { b: { v: 'sample' } } } } };
    expect(await values(['vars.region', 'steps.a.v', 'steps.b.v', 'keys(steps)'], more)).toEqual([
      'eu',
      'pin',
      'sample',
      ['a', 'b'],
    ]);
  });
});

describe('with the data of a run', () => {
  it('sees what a step saw: outputs before it, the trigger and facts of the run', async () => {
    const run = await ann.run(await ann.workflow([set('a', { v: 1 }), set('b', { v: 2 }), set('c', { v: 3 })]), {
      n: 7,
    });
    const at = (step_id?: string) => ({
      context: { execution_id: run.id, ...(step_id === undefined ? {} : { step_id }) },
    });
    expect(await values(['keys(steps)', 'trigger.n', 'execution.id'], at('b'))).toEqual([['a'], 7, run.id]);
    expect(await values(['keys(steps)', 'steps.c.v'], at())).toEqual([['a', 'b', 'c'], 3]);
    expect(await values(['keys(steps)'], at('not_there_yet'))).toEqual([['a', 'b', 'c']]);
  });

  it('in a loop sees the item that the step is named with, else the first', async () => {
    const steps = [
      set('before', { v: 'b' }),
      {
        id: 'each',
        type: 'foreach',
        config: { items: ['x', 'y', 'z'] },
        steps: [set('up', { v: '{{ upper(loop.item) }}' }), set('use', { v: '{{ steps.up.v }}' })],
      },
      set('after', {}),
    ];
    const run = await ann.run(await ann.workflow(steps));
    const asked = ['loop.item', 'loop.index', 'steps.up.v', 'steps.before.v', 'exists(steps.after)'];
    const at = (step_id: string) => ({ context: { execution_id: run.id, step_id } });
    expect(await values(asked, at('use'))).toEqual(['x', 0, 'X', 'b', false]);
    expect(await values(asked, at('use.2'))).toEqual(['z', 2, 'Z', 'b', false]);
    const dsl = {
      id: 'd',
      steps: [{ ...(steps[1] as JsonObject), steps: [set('up', {}), set('use', {}), set('fresh', {})] }],
    };
    expect(await values(['loop.item', 'steps.use.v'], { ...at('fresh'), dsl })).toEqual(['x', 'X']);
  });

  it('sees the failure that a handler saw', async () => {
    const run = await ann.run(
      await ann.workflow([
        {
          id: 'guard',
          type: 'try',
          steps: [{ id: 'f', type: 'fail', config: { message: 'no', code: 'oops' } }],
          catch: [set('note', {})],
        },
      ]),
    );
    expect(await values(['error.code'], { context: { execution_id: run.id, step_id: 'note' } })).toEqual(['oops']);
  });

  it('shows neither values of secrets nor links that decide', async () => {
    await ann.request('POST', '/api/v1/secrets', { name: 'TOKEN', value: 'a-very-secret-value' });
    const run = await ann.run(await ann.workflow([set('a', { v: 'x {{ secret.TOKEN }} y' })]));
    const asked = ['secret.TOKEN', 'steps.a.v', 'base64(secret.TOKEN)', 'approval_link("a", "approve")'];
    const { body } = await ask({
      items: asked.map((expression) => ({ expression })),
      context: { execution_id: run.id },
    });
    const [secret, output, , link] = body.results as JsonObject[];
    expect([secret?.value, output?.value, link?.value]).toEqual(['[secret TOKEN]', 'x *** y', '[link: approve a]']);
    expect(JSON.stringify(body)).not.toMatch(/a-very-secret|⟦|http/);
  });

  it('prefers a sample, and leaves out what the sample does not have', async () => {
    const run = await ann.run(await ann.workflow([set('a', { v: 1 })]), { n: 7 });
    const context = { execution_id: run.id, sample: { trigger: { n: 8 }, steps: { b: { v: 2 } } } };
    expect(await values(['trigger.n', 'steps.a.v', 'steps.b.v'], { context })).toEqual([8, 1, 2]);
  });

  it('of another tenant is not there', async () => {
    const bea = await site.user();
    const run = await bea.run(await bea.workflow([set('a', { v: 1 })]));
    expect((await ask({ items: [{ expression: '1' }], context: { execution_id: run.id } })).status).toBe(404);
  });
});

it('takes at most fifty at once', async () => {
  expect((await ask({ items: Array.from({ length: 51 }, () => ({ expression: '1' })) })).status).toBe(400);
});

it('reads one run of a tenant at a time, and refuses calls when too many wait', async () => {
  const run = await ann.run(await ann.workflow([set('one', { n: 1 })]));
  const context = { execution_id: run.id };
  const calls = Array.from({ length: 120 }, () => ask({ items: [{ expression: 'steps.one.n' }], context }));
  const answers = await Promise.all(calls);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  for (const { status, body } of answers)
    expect(body).toMatchObject(status === 200 ? { results: [{ value: 1 }] } : { code: 'rate_limited' });
  expect(await values(['steps.one.n'], { context })).toEqual([1]);
});
