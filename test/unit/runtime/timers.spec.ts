import type { Json, JsonObject } from '../../../lib/json';
import { NEVER_MS } from '../../../runtime/core/model';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const DAY = 86_400_000;
const nap = (config: JsonObject): Json => ({ id: 'w', type: 'wait', config });

/** A run `a` of these steps, started on a host that then leaves; time passes without a host. */
async function left(steps: Json[], rest: JsonObject = {}, prepare: (world: World) => void = () => {}) {
  const world = new World();
  prepare(world);
  const { host } = world.host();
  await host.start();
  const plan = world.plan(steps, rest);
  await host.begin(world.execution('a', plan), plan);
  await until(world.clock, () => world.row('a').owner === null);
  await host.stop(0);
  return world;
}

/** Years later another host starts. */
async function later(world: World, ms: number): Promise<void> {
  world.clock.advance(ms);
  await world.host().host.start();
  await settle(12);
}

describe('a wait', () => {
  it.each([
    ['30 days', 30 * DAY],
    ['10 years', 3_650 * DAY],
    ['100 years', 36_500 * DAY],
  ])('of %s ends at its time, not before', async (_, ms) => {
    const world = await left([nap({ for: `${ms / DAY}d` })]);
    const due = world.row('a').wakeAt as number;
    expect(due - world.row('a').startedAt).toBe(ms);
    expect(due).toBeLessThan(NEVER_MS);
    await later(world, due - world.clock.now() - 2_000);
    expect(world.ended('a')).toBe(false);
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').endedAt).toBe(due);
  });

  it.each([
    ['of no time', { for: '0s' }],
    ['of 0 ms', { for: '0ms' }],
    ['until a time that is past', { until: '1999-12-31T23:59:59Z' }],
  ])('%s is refused', async (_, config) => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const plan = world.plan([nap(config)]);
    const before = world.clock.now();
    await host.begin(world.execution('a', plan), plan);
    await settle(12);
    expect([world.row('a').status, world.clock.now()]).toEqual(['completed', before]);
    expect(world.entries('a').map(({ kind }) => kind)).toEqual(['step.completed', 'run.ended']);
  });

  it('until the last valid date is stored', async () => {
    const world = await left([nap({ until: '9999-12-30T00:00:00Z' })]);
    expect(world.row('a').wakeAt).toBe(Date.UTC(9999, 11, 30));
  });
});

describe('the pause before another attempt', () => {
  it.each([
    ['as the step defines, up to 100 years', { initial_interval: '36500d', jitter: 0 }, {}, 36_500 * DAY],
    [
      'as the remote service asks, even over the maximum interval',
      { initial_interval: '1s' },
      { retryAfterMs: 400 * DAY },
      400 * DAY,
    ],
    ['over all limits is cut', { initial_interval: '1s' }, { retryAfterMs: Number.MAX_VALUE }, 36_500 * DAY],
  ])('%s', async (_, retry, more, ms) => {
    const step = { id: 'e', type: 'effect', config: {}, retry: { max_attempts: 2, ...retry } };
    const world = await left([step], {}, (w) =>
      w.answers.set('e', (n) =>
        n === 1
          ? { kind: 'fail', error: { code: 'x', message: 'not yet' }, retryable: true, ...more }
          : { kind: 'done', output: {} },
      ),
    );
    const due = world.row('a').wakeAt as number;
    expect(due - world.row('a').startedAt).toBe(ms);
    await later(world, due - world.clock.now() - 2_000);
    expect(world.outside.ran.get('e')).toBe(1);
    await until(world.clock, () => world.ended('a'));
    expect([world.row('a').status, world.row('a').endedAt]).toEqual(['completed', due]);
  });
});

describe('a deadline', () => {
  it('of 90 days ends a step that was in flight when its host died', async () => {
    const world = new World();
    world.answers.set('e', () => new Promise(() => {}));
    const { host, connection } = world.host();
    await host.start();
    const plan = world.plan([{ id: 'e', type: 'effect', config: {}, timeout: '100d' }], { timeout: '90d' });
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.outside.ran.get('e') === 1);
    connection.kill();
    await later(world, 90 * DAY);
    await until(world.clock, () => world.ended('a'));
    expect(world.row('a').error).toMatchObject({ code: 'timed_out' });
    expect(world.outside.ran.get('e')).toBe(1);
  });
});
