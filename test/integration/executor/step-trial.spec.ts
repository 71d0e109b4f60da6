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
const dslOf = (steps: Json[]): JsonObject => ({ id: 'tried', trigger: { type: 'manual' }, steps });
const test = (body: JsonObject) => ann.request('POST', '/api/v1/workflows/steps/test', body);

describe('the test of a step of a document that is not saved', () => {
  it('runs that step alone with what is given', async () => {
    const dsl = dslOf([
      { id: 'nap', type: 'wait', config: { for: '1h' } },
      set('s', { n: '{{ trigger.n + steps.nap.v }}' }),
    ]);
    const { status, body } = await test({ dsl, step_id: 's', trigger: { n: 1 }, steps: { nap: { v: 2 } } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'completed', output: { n: 3 }, error: null });
    const { body: run } = await ann.request('GET', `/api/v1/executions/${String(body.execution_id)}`);
    expect(run).toMatchObject({ trial: true, trigger_type: 'test', workflow_name: 'tried' });
  });

  it('sees outputs of a run, over those that the document pins, and under those that are given', async () => {
    const id = await ann.workflow([set('a', { v: 'run' }), set('b', { v: 'run' }), set('c', { v: 'run' })]);
    const run = await ann.run(id, { who: 'ann' });
    const dsl = dslOf([
      set('a', {}, { pin: { v: 'pin' } }),
      set('b', {}),
      set('p', {}, { pin: { v: 'pin' } }),
      set('s', { a: '{{ steps.a.v }}', b: '{{ steps.b.v }}', p: '{{ steps.p.v }}', who: '{{ trigger.who }}' }),
    ]);
    const from = { dsl, step_id: 's', from_execution: run.id };
    expect((await test(from)).body.output).toEqual({ a: 'run', b: 'run', p: 'pin', who: 'ann' });
    const given = await test({ ...from, steps: { b: { v: 'given' } }, trigger: { who: 'bea' } });
    expect(given.body.output).toEqual({ a: 'run', b: 'given', p: 'pin', who: 'bea' });
  });

  it('of an expression that may read any step sees all of a run', async () => {
    const run = await ann.run(await ann.workflow([set('a', { v: 1 })]));
    const dsl = dslOf([set('a', {}), set('s', { all: '{{ keys(steps) }}' })]);
    expect((await test({ dsl, step_id: 's', from_execution: run.id })).body.output).toEqual({ all: ['a'] });
  });

  it('works while other steps have faults; its own are refused with their places', async () => {
    const steps = [{ id: 'broken', type: 'sett' }, set('s', { ok: true }), set('bad', { v: '{{ nope( }}' })];
    expect((await test({ dsl: dslOf(steps as Json[]), step_id: 's' })).body).toMatchObject({ output: { ok: true } });
    const refused = await test({ dsl: dslOf(steps as Json[]), step_id: 'bad' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_dsl' } });
    expect((refused.body.details as JsonObject[]).map(({ path }) => path)).toEqual(['steps[2].config.v']);
    expect((await test({ dsl: 7, step_id: 's' })).status).toBe(400);
  });

  it('finds steps in others, and no step that is not there', async () => {
    const dsl = dslOf([
      { id: 'each', type: 'foreach', config: { items: [1] }, steps: [set('x', { v: '{{ loop.item }}' })] },
    ]);
    expect((await test({ dsl, step_id: 'x', loop: { item: 5, index: 0 } })).body).toMatchObject({ output: { v: 5 } });
    expect((await test({ dsl, step_id: 'none' })).status).toBe(404);
    const none = '00000000-0000-4000-8000-000000000000';
    expect((await test({ dsl, step_id: 'x', workflow_id: none })).status).toBe(404);
    expect((await test({ dsl, step_id: 'x', from_execution: none })).status).toBe(404);
  });

  it('does not show the value of a secret that a run has used', async () => {
    await ann.request('POST', '/api/v1/secrets', { name: 'TOKEN', value: 'a-very-secret-value' });
    const run = await ann.run(await ann.workflow([set('a', { v: '{{ secret.TOKEN }}' })]));
    const dsl = dslOf([set('a', {}), set('s', { v: '{{ steps.a.v }}' })]);
    const { body } = await test({ dsl, step_id: 's', from_execution: run.id });
    expect(body.status).toBe('completed');
    expect(JSON.stringify(body)).not.toContain('a-very-secret-value');
  });
});
