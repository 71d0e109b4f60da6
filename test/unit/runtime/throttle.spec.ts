import fc from 'fast-check';
import type { Json } from '../../../lib/json';
import { rankOf } from '../../../runtime/core/decide/priority';
import {
  type Admitted,
  mayStart,
  nextStart,
  reachOf,
  startBehind,
  type StartRate,
  type Throttle,
  turnsOf,
  withStart,
} from '../../../runtime/core/decide/throttle';
import { CANCEL } from '../../../runtime/core/decide/waits';
import { pick } from '../../../runtime/worker/pick';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const rates = fc
  .record({ limit: fc.integer({ min: 1, max: 8 }), periodMs: fc.integer({ min: 1_000, max: 20_000 }) })
  .chain((rate) => fc.integer({ min: 1, max: rate.limit }).map((burst): StartRate => ({ ...rate, burst })));

/** Starts of runs that ask again and again, at growing times of clocks that differ a little. */
function startsOf(rate: StartRate, pauses: readonly number[]): Admitted[] {
  const all: Admitted[] = [];
  let window: readonly Admitted[] = [];
  let now = 0;
  for (const [index, pause] of pauses.entries()) {
    now += pause;
    const skewed = now + (index % 3) * 100;
    if (!mayStart(window, rate, skewed, [])) continue;
    window = withStart(window, rate, { id: `r${index}`, at: skewed });
    all.push(window.at(-1) as Admitted);
  }
  return all;
}

describe('a window', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 200 });

  it('never has more starts in any period than the limit, nor more at once than the burst', () => {
    fc.assert(
      fc.property(rates, pauses, (rate, times) => {
        const starts = startsOf(rate, times);
        for (const [index, { at }] of starts.entries()) {
          const first = starts[index - rate.limit];
          if (first !== undefined) expect(at - first.at).toBeGreaterThanOrEqual(rate.periodMs);
          const spaced = starts[index - rate.burst];
          if (rate.burst < rate.limit && spaced !== undefined)
            expect(at - spaced.at).toBeGreaterThanOrEqual(Math.floor(rate.periodMs / rate.limit));
        }
      }),
    );
  });

  it('lets a run start at the time that it has named, and not before', () => {
    fc.assert(
      fc.property(rates, pauses, fc.nat(5), (rate, times, ahead) => {
        let window: readonly Admitted[] = [];
        for (const start of startsOf(rate, times)) window = withStart(window, rate, start);
        const now = times.reduce((sum, pause) => sum + pause, 0);
        const others = Array.from({ length: ahead }, () => rate);
        const at = startBehind(window, rate, now, others);
        expect(mayStart(window, rate, now, others)).toBe(at === Math.max(now, window.at(-1)?.at ?? now));
        const next = nextStart(window, rate, now);
        expect(mayStart(window, rate, next, [])).toBe(true);
        if (next > now + 200) expect(mayStart(window, rate, next - 1, [])).toBe(false);
      }),
    );
  });

  it('starts as many as it may: of runs that always wait, the limit in each period', () => {
    fc.assert(
      fc.property(rates, (rate) => {
        let window: readonly Admitted[] = [];
        const all: Admitted[] = [];
        for (let index = 0; index < 5 * rate.limit; index++) {
          window = withStart(window, rate, { id: `r${index}`, at: nextStart(window, rate, 0) });
          all.push(window.at(-1) as Admitted);
        }
        // Spacing rounds each time up to a millisecond.
        expect(all.at(-1)?.at).toBeLessThanOrEqual(5 * rate.periodMs + 5 * rate.limit);
      }),
    );
  });

  it('tells which of the next runs have to be woken earlier', () => {
    const rate = { limit: 1, periodMs: 1_000, burst: 1 };
    const waiters = [
      { id: 'a', wakeAt: 5_000, rate },
      { id: 'b', wakeAt: 1_500, rate },
      { id: 'c', wakeAt: null, rate },
      { id: 'd', wakeAt: 9_000, rate },
    ];
    expect(turnsOf([{ id: 'x', at: 0 }], 100, waiters)).toEqual([
      { id: 'a', at: 1_000 },
      { id: 'd', at: 4_000 },
    ]);
  });
});

describe('a window that several rates share', () => {
  const mixed = fc.array(rates, { minLength: 1, maxLength: 3 });
  const asked = fc.array(fc.record({ pause: fc.integer({ min: 0, max: 2_000 }), which: fc.nat() }), { maxLength: 200 });

  it('admits no start against the rate of its own document, whatever the others admit', () => {
    fc.assert(
      fc.property(mixed, asked, (all, starts) => {
        const reach = reachOf(all);
        let window: readonly Admitted[] = [];
        const admitted: Admitted[] = [];
        let now = 0;
        for (const [index, { pause, which }] of starts.entries()) {
          now += pause;
          const rate = all[which % all.length] as StartRate;
          if (!mayStart(window, rate, now, [])) continue;
          window = withStart(window, reach, { id: `r${index}`, at: now });
          admitted.push({ id: `r${index}`, at: now });
          const first = admitted.at(-rate.limit - 1);
          if (first !== undefined) expect(now - first.at).toBeGreaterThanOrEqual(rate.periodMs);
        }
      }),
    );
  });

  it('lets no run overtake one whose rate is smaller', () => {
    const [small, large] = [
      { limit: 1, periodMs: 1_000, burst: 1 },
      { limit: 5, periodMs: 1_000, burst: 5 },
    ];
    const window = [{ id: 'x', at: 0 }];
    expect(mayStart(window, large, 100, [])).toBe(true);
    expect(mayStart(window, large, 100, [small])).toBe(false);
    expect(startBehind(window, large, 100, [small])).toBe(1_000);
  });
});

describe('priority', () => {
  const run = (id: string, since: number, headStartMs = 0, tenantId = 't') => ({
    id,
    tenantId,
    epoch: 0,
    since,
    deadlineAt: null,
    cancelling: false,
    parked: false,
    claims: 0,
    headStartMs,
  });

  it('moves a run before those of its tenant that were started shortly before, never before those of long ago', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), fc.nat(10_000_000), (a, b, later) => {
        const overtakes = rankOf(later, b) < rankOf(0, a);
        expect(overtakes).toBe(later < (b - a) * 600_000);
        if (later >= 2_400_000) expect(overtakes).toBe(false);
      }),
    );
  });

  it('changes nothing between tenants', () => {
    const due = [run('old', 0), run('urgent', 50, 1_000, 'other'), run('middle', 100), run('first', 200, 500)];
    expect(pick(due, () => 0, 9).map(({ id }) => id)).toEqual(['first', 'urgent', 'old', 'middle']);
    expect(
      pick(
        due.map((each) => ({ ...each, headStartMs: 0 })),
        () => 0,
        9,
      ).map(({ id }) => id),
    ).toEqual(['old', 'urgent', 'middle', 'first']);
  });
});

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const throttled = (more: Partial<Throttle> = {}): Throttle => ({
  window: 'w',
  key: 'k',
  limit: 2,
  periodMs: 10_000,
  burst: 2,
  passed: false,
  ...more,
});

/** A world with some hosts, and a way to start throttled runs on them in turn. */
async function office(hosts = 1) {
  const world = new World();
  const plan = world.plan([effect('e')]);
  for (let n = 0; n < hosts; n++) await world.host().host.start();
  let next = 0;
  const start = async (id: string, throttle = throttled(), rank?: number) => {
    const living = world.hosts.filter(({ connection }) => !connection.dead);
    const { host } = living[next++ % living.length] as World['hosts'][number];
    const began = host.begin(
      world.execution(id, plan, {}, { throttle, ...(rank === undefined ? {} : { rank }) }),
      plan,
    );
    await settle();
    return began;
  };
  return { world, start };
}

describe('a throttled run', () => {
  it('starts at once where the window has room, with two requests more', async () => {
    const { world, start } = await office();
    expect(await start('a')).toBe('here');
    expect(world.hosts[0]?.connection.log).toEqual(['admit', 'insert', 'append', 'end']);
  });

  it('is stored over the limit, says what it waits for, and starts when its turn comes', async () => {
    const { world, start } = await office(2);
    const begun = world.clock.now();
    for (const id of ['a', 'b', 'c', 'd', 'e']) await start(id);
    expect(world.row('c').waiting).toEqual([
      { step_id: null, kind: 'throttle', name: 'k', since: begun, until: begun + 10_000 },
    ]);
    await until(world.clock, () => ['c', 'd'].every((id) => world.ended(id)));
    expect(world.clock.now() - begun).toBeGreaterThanOrEqual(10_000);
    expect(world.ended('e')).toBe(false);
    await until(world.clock, () => world.ended('e'));
    expect(world.clock.now() - begun).toBeGreaterThanOrEqual(20_000);
    expect(world.clock.now() - begun).toBeLessThan(22_000);
    expect(world.db.windows.get('w')?.queued).toBe(false);
  });

  it('starts in the order of the ranks', async () => {
    const { world, start } = await office();
    const one = throttled({ limit: 1, burst: 1 });
    await start('first', one);
    const now = world.clock.now();
    for (const [id, priority] of [
      ['low', 1],
      ['middle', 3],
      ['high', 5],
      ['middle 2', 3],
    ] as const)
      await start(id, one, rankOf(now, priority));
    await until(world.clock, () => world.ended('low'));
    expect(world.endings).toEqual(['first', 'high', 'middle', 'middle 2', 'low']);
  });

  it('is started by another host when the one that had it dies, and none is lost', async () => {
    const { world, start } = await office(2);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) await start(id);
    world.hosts[0]?.connection.kill();
    await until(world.clock, () => ids.every((id) => world.ended(id)));
    expect(world.endings.toSorted()).toEqual(ids);
  });

  it('is cancelled while it waits, without a start', async () => {
    const { world, start } = await office();
    const one = throttled({ limit: 1, burst: 1 });
    for (const id of ['a', 'b', 'c']) await start(id, one);
    await world.send('b', { id: CANCEL, name: CANCEL });
    await until(world.clock, () => world.ended('c'));
    expect(world.row('b').status).toBe('cancelled');
    expect(world.db.windows.get('w')?.starts.map(({ id }) => id)).not.toContain('b');
  });
});
