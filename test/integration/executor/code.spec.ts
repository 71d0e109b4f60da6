import type { Json } from '../../../lib/json';
import { until } from '../../support/until';
import { codeOf, type House, openHouse } from './house';

const ENDLESS = { id: 'endless', type: 'code', config: { source: 'while (true);', timeout: '5m' } };

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const code = (source: string, further: object = {}, step: object = {}): Json =>
  ({ id: 'code', type: 'code', config: { source, ...further }, ...step }) as Json;

const ran = async (steps: Json[], trigger = {}) => {
  const id = await house.start(await house.workflow(steps), trigger);
  return house.ended(id);
};

describe('a code step', () => {
  it('computes with the trigger, with earlier steps and with its input', async () => {
    const run = await ran(
      [
        { id: 'order', type: 'set', config: { prices: [10, 20.5] } },
        code('return { sum: steps.order.prices.reduce((a, b) => a + b, 0), from: trigger.shop, seen: input }', {
          input: '{{ steps.order.prices[0] }}',
        }),
      ],
      { shop: 'north' },
    );
    expect(run).toMatchObject({ status: 'completed', output: { sum: 30.5, from: 'north', seen: 10 } });
  });

  it('sees the item of the loop that it stands in', async () => {
    const run = await ran([
      {
        id: 'each',
        type: 'foreach',
        config: { items: [3, 4], concurrency: 2 },
        steps: [code('return { square: loop.item ** 2, at: loop.index }')],
      },
    ]);
    expect(run.output).toEqual({
      results: [
        { square: 9, at: 0 },
        { square: 16, at: 1 },
      ],
      count: 2,
    });
  });

  it('computes with real secrets, which no record of it shows', async () => {
    const secret = 'open-sesame-4711';
    await house.t.call('secrets.put', { name: 'CODE_KEY', value: secret }, house.ann);
    const steps = [code('return { length: input.length, key: input }', { input: '{{ secret.CODE_KEY }}' })];
    const run = await ran(steps);
    expect(run).toMatchObject({ status: 'completed', output: { length: secret.length, key: '***' } });
    const failed = await ran([code('throw new Error(`no ${input}`)', { input: '{{ secret.CODE_KEY }}' })]);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'script_error' } });
    expect(JSON.stringify([run, failed])).not.toContain(secret);
  });

  it('fails with what its source threw, and the line; an on_error goes on', async () => {
    expect(await ran([code('\nnothing.here')])).toMatchObject({
      status: 'failed',
      error: { step_id: 'code', code: 'script_error', message: "ReferenceError: 'nothing' is not defined (line 2)" },
    });
    const run = await ran([
      code('throw new Error("no")', {}, { on_error: 'continue' }),
      { id: 'after', type: 'set', config: { code: '{{ steps.code.error.code }}' } },
    ]);
    expect(run).toMatchObject({ status: 'completed', output: { code: 'script_error' } });
  });

  it('is tried once, whatever its retry: the same source would fail again', async () => {
    const run = await ran([code('return 10n', {}, { retry: { max_attempts: 5 } })]);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'result_invalid' } });
    const { steps } = await house.t.call('executions.detail', { id: run.id }, house.ann);
    expect(steps[0]).toMatchObject({ attempt: 1 });
  });

  it('ends when its time is over', async () => {
    expect(await ran([code('while (true);', { timeout: '100ms' })])).toMatchObject({
      status: 'failed',
      error: { code: 'timed_out' },
    });
  });

  it('ends with a run that is cancelled, and gives its thread to others', async () => {
    const endless = await house.workflow([ENDLESS as Json]);
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) ids.push(await house.start(endless));
    for (const id of ids) await house.t.call('executions.cancel', { id }, house.ann);
    for (const id of ids) expect(await house.ended(id)).toMatchObject({ status: 'cancelled' });
    expect(await ran([code('return { ok: true }')])).toMatchObject({ output: { ok: true } });
  });

  it('of one tenant waits for no endless ones of another', async () => {
    const dsl = { id: 'flow', trigger: { type: 'http' }, steps: [ENDLESS] };
    const { id: workflow } = await house.t.call('workflows.create', { name: 'Endless', dsl }, house.bob);
    const ids: string[] = [];
    for (let n = 0; n < 8; n++)
      ids.push((await house.t.call('workflows.trigger', { id: workflow, trigger: {} }, house.bob)).id);
    expect(await ran([code('return { ok: true }')])).toMatchObject({ output: { ok: true } });
    for (const id of ids) await house.t.call('executions.cancel', { id }, house.bob);
    await until('they have ended', async () => {
      const views = await Promise.all(ids.map((id) => house.t.call('executions.get', { id }, house.bob)));
      return views.every(({ status }) => status === 'cancelled');
    });
  });

  it('whose source is not valid JavaScript is refused when it is saved', async () => {
    expect(await codeOf(house.workflow([code('return {')]))).toBe('invalid_dsl');
  });
});
