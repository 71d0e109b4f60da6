import {
  beginning,
  type GatheredStart,
  gatheringOf,
  type GatheringRule,
  hasRoomFor,
  isOver,
  MAX_BATCH_CHARS,
  withGathered,
} from '../../../runtime/core/decide/gathering';

const T0 = 1_000_000;
const held = { concurrency: null, throttle: null, timeoutMs: null };
const start = (id: string, at: number, chars = 10): GatheredStart => ({ id, at, chars, held });
const rule = (more: Partial<GatheringRule>): GatheringRule => ({
  kind: 'debounce',
  slot: 's',
  key: 'k',
  periodMs: 1_000,
  maxWaitMs: 60_000,
  maxSize: null,
  ...more,
});

describe('a debounce', () => {
  it('begins a period after the last start, and no later than it may wait', () => {
    const bounded = rule({ maxWaitMs: 1_500 });
    const first = gatheringOf(bounded, start('a', T0));
    const second = withGathered(first, bounded, start('b', T0 + 400));
    const third = withGathered(second, bounded, start('c', T0 + 900));
    expect([first, second, third].map(({ beginsAt }) => beginsAt - T0)).toEqual([1_000, 1_400, 1_500]);
    expect(third).toMatchObject({ count: 3, starts: ['a', 'b', 'c'], firstAt: T0 });
    expect([isOver(third, T0 + 1_499), isOver(third, T0 + 1_500)]).toEqual([false, true]);
  });

  it('does not begin earlier because the clock of a host is late', () => {
    const first = gatheringOf(rule({}), start('a', T0));
    expect(withGathered(first, rule({}), start('b', T0 - 300)).beginsAt).toBe(T0 + 1_000);
  });

  it('takes any number of starts, and remembers the last ones', () => {
    let gathering = gatheringOf(rule({}), start('0', T0));
    for (let n = 1; n < 500; n++) gathering = withGathered(gathering, rule({}), start(String(n), T0, MAX_BATCH_CHARS));
    expect(gathering.count).toBe(500);
    expect([gathering.starts.length, gathering.starts.at(-1)]).toEqual([100, '499']);
    expect(hasRoomFor(gathering, start('more', T0, MAX_BATCH_CHARS))).toBe(true);
  });
});

describe('a batch', () => {
  const of = (maxSize: number) => rule({ kind: 'batch', maxSize, maxWaitMs: 1_000 });

  it('begins a period after the first start, and at once when it is full', () => {
    const first = gatheringOf(of(3), start('a', T0));
    const second = withGathered(first, of(3), start('b', T0 + 400));
    const third = withGathered(second, of(3), start('c', T0 + 500));
    expect([first, second, third].map(({ beginsAt }) => beginsAt - T0)).toEqual([1_000, 1_000, 500]);
    expect([hasRoomFor(second, start('c', T0)), hasRoomFor(third, start('d', T0))]).toEqual([true, false]);
  });

  it('has no room for more data than one document holds', () => {
    const first = gatheringOf(of(9), start('a', T0, MAX_BATCH_CHARS - 10));
    expect([10, 11].map((chars) => hasRoomFor(first, start('b', T0, chars)))).toEqual([true, false]);
  });
});

it('limits and the timeout of a run apply from its beginning, where it keeps its priority', () => {
  const concurrency = { group: 'g', key: 'k', limit: 1, onConflict: 'queue' } as const;
  const gathering = gatheringOf(rule({}), { ...start('a', T0), held: { ...held, concurrency, timeoutMs: 30_000 } });
  const begun = beginning({ startedAt: T0, rank: T0 - 600_000 }, gathering, T0 + 5_000);
  expect(begun).toEqual({
    concurrency,
    rank: T0 + 5_000 - 600_000,
    deadlineAt: T0 + 35_000,
    gathering: { ...gathering, state: 'begun' },
  });
});
