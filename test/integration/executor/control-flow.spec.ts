import type { Json, JsonObject } from '../../../lib/json';
import { openSite, type Site, type User } from './site';

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

const set = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'set',
  config,
  ...more,
});
const fail = (id: string, code = 'bad', more: JsonObject = {}): Json => ({
  id,
  type: 'http_request',
  config: { url: 'http://127.0.0.1:1/never-allowed' },
  name: code,
  ...more,
});
const statuses = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries((await ann.steps(id)).map(({ path, status }) => [path, status]));

describe('a run over HTTP', () => {
  it('takes the branch whose condition holds, and shows the others as not begun', async () => {
    const id = await ann.workflow([
      {
        id: 'size',
        type: 'branch',
        cases: [
          { when: '{{ trigger.n > 100 }}', steps: [set('large', { v: 'large' })] },
          { when: '{{ trigger.n > 10 }}', steps: [set('middle', { v: 'middle' })] },
        ],
        else: [set('small', { v: 'small' })],
      },
      set('after', { chosen: '{{ steps.size.case }}', v: '{{ steps.middle.v ?? steps.small.v ?? steps.large.v }}' }),
    ]);
    expect((await ann.run(id, { n: 50 })).output).toEqual({ chosen: 1, v: 'middle' });
    const small = await ann.run(id, { n: 1 });
    expect(small.output).toEqual({ chosen: 'else', v: 'small' });
    expect(await statuses(small.id)).toEqual({
      size: 'completed',
      'size/cases.0/large': 'pending',
      'size/cases.1/middle': 'pending',
      'size/else/small': 'completed',
      after: 'completed',
    });
  });

  it('goes on when all branches of a parallel step are done, with what each came to', async () => {
    const id = await ann.workflow([
      {
        id: 'both',
        type: 'parallel',
        branches: [
          { id: 'left', steps: [set('a', { v: 1 }), set('b', { v: '{{ steps.a.v + 1 }}' })] },
          { id: 'right', steps: [set('c', { v: 10 })] },
        ],
      },
    ]);
    expect((await ann.run(id)).output).toEqual({ branches: { left: { v: 2 }, right: { v: 10 } } });
  });

  it('goes on when one branch is done, and cancels the rest', async () => {
    const id = await ann.workflow([
      {
        id: 'race',
        type: 'parallel',
        wait: 'any',
        branches: [
          { id: 'slow', steps: [{ id: 'nap', type: 'wait', config: { for: '1h' } }] },
          { id: 'fast', steps: [set('now', { v: 1 })] },
        ],
      },
    ]);
    const { id: run, output } = await ann.run(id);
    expect(output).toEqual({ branches: { fast: { v: 1 } } });
    expect(await statuses(run)).toMatchObject({ 'race/branches.0/nap': 'cancelled', race: 'completed' });
  });

  it('does steps with needs as soon as those are done', async () => {
    const id = await ann.workflow([
      set('a', { v: 1 }),
      set('b', { v: '{{ steps.a.v + 1 }}' }, { needs: ['a'] }),
      set('c', { v: '{{ steps.a.v + 10 }}' }, { needs: ['a'] }),
      set('d', { v: '{{ steps.b.v + steps.c.v }}' }, { needs: ['b', 'c'] }),
    ]);
    expect((await ann.run(id)).output).toEqual({ v: 13 });
  });

  it('repeats steps while a condition holds, and fails when it does so for too long', async () => {
    const loop = (max: number): Json => ({
      id: 'count',
      type: 'while',
      config: { condition: '{{ (steps.add.n ?? 0) < 3 }}', max_iterations: max },
      steps: [set('add', { n: '{{ (steps.add.n ?? 0) + 1 }}', turn: '{{ loop.index }}' })],
    });
    const done = await ann.run(await ann.workflow([loop(10)]));
    expect(done).toMatchObject({ status: 'completed', output: { iterations: 3 } });
    const rows = (await ann.steps(done.id)).filter(({ step_id }) => step_id === 'add');
    expect(rows.map(({ path, iteration, output }) => [path, iteration, output])).toEqual([
      ['count/steps.0/add', 0, { n: 1, turn: 0 }],
      ['count/steps.1/add', 1, { n: 2, turn: 1 }],
      ['count/steps.2/add', 2, { n: 3, turn: 2 }],
    ]);
    const tooLong = await ann.run(await ann.workflow([loop(2)]));
    expect(tooLong).toMatchObject({ status: 'failed', error: { code: 'too_many_iterations', step_id: 'count' } });
  });

  it('catches what fails in a try, tidies up, and goes on', async () => {
    const id = await ann.workflow([
      {
        id: 'guard',
        type: 'try',
        steps: [fail('risky')],
        catch: [set('note', { who: '{{ error.step_id }}', code: '{{ error.code }}' })],
        finally: [set('tidy', { failed: '{{ error != null }}' })],
      },
      set('after', { failed: '{{ steps.guard.failed }}', who: '{{ steps.note.who }}' }),
    ]);
    const { id: run, status, output } = await ann.run(id);
    expect({ status, output }).toEqual({ status: 'completed', output: { failed: true, who: 'risky' } });
    expect(await statuses(run)).toMatchObject({
      'guard/steps/risky': 'failed',
      'guard/catch/note': 'completed',
      'guard/finally/tidy': 'completed',
    });
  });

  it('undoes what it has done, in reverse, when it fails later, and tells who handles its errors', async () => {
    const id = await ann.workflow(
      [
        set('book', { n: 1 }, { compensate: [set('unbook', { n: '{{ steps.book.n }}', why: '{{ error.step_id }}' })] }),
        set('pay', { n: 2 }, { compensate: [set('refund', { n: '{{ steps.pay.n }}' })] }),
        fail('ship'),
      ],
      { on_error: [set('mail', { about: '{{ error.step_id }}' })] },
    );
    const run = await ann.run(id);
    expect(run).toMatchObject({ status: 'failed', error: { step_id: 'ship' } });
    const done = (await ann.events(run.id)).filter(({ data }) => data.status === 'completed');
    expect(done.map(({ data }) => [data.path, data.output])).toEqual([
      ['book', { n: 1 }],
      ['pay', { n: 2 }],
      ['pay/compensate/refund', { n: 2 }],
      ['book/compensate/unbook', { n: 1, why: 'ship' }],
      ['.on_error/mail', { about: 'ship' }],
    ]);
  });

  it('is validated as a whole: a reference from outside to a step of a loop is refused with a hint', async () => {
    const loop: Json = { id: 'each', type: 'foreach', config: { items: [1] }, steps: [set('inner')] };
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [loop, set('x', { v: '{{ steps.inner }}' })] };
    const { body } = await ann.request('POST', '/api/v1/workflows/validate', { dsl });
    expect(body.valid).toBe(false);
    expect(JSON.stringify(body.errors)).toContain('steps.each.results');
  });
});

describe('a cancelled run', () => {
  it('undoes what it has done, and ends as cancelled', async () => {
    const id = await ann.workflow([
      set('book', {}, { compensate: [set('unbook', { why: '{{ error }}' })] }),
      { id: 'nap', type: 'wait', config: { for: '1h' } },
    ]);
    const run = await ann.start(id);
    await ann.waiting(run);
    expect((await ann.request('POST', `/api/v1/executions/${run}/cancel`)).status).toBe(202);
    expect((await ann.ended(run)).status).toBe('cancelled');
    const steps = await ann.steps(run);
    expect(steps.find(({ step_id }) => step_id === 'unbook')).toMatchObject({
      status: 'completed',
      output: { why: null },
    });
    expect(steps.find(({ step_id }) => step_id === 'nap')?.status).toBe('cancelled');
  });
});
