import { keepOpen, reconnectMs } from '../../../console/src/model/keep-open';
import { EVERYTHING, refreshesOf } from '../../../console/src/model/live-events';
import { type KeyPrefix, RefreshQueue } from '../../../console/src/model/refresh-queue';

/** A queue with a clock that the test moves; queries take no time unless `busy` has their key. */
function queue() {
  let now = 0;
  let timers: { at: number; act: () => void }[] = [];
  const state = { hidden: false, busy: [] as KeyPrefix[] };
  const flushes: { at: number; keys: string[] }[] = [];
  const made = new RefreshQueue({
    now: () => now,
    after: (ms, act) => {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => (timers = timers.filter((each) => each !== timer));
    },
    isHidden: () => state.hidden,
    refresh: (keys) => {
      flushes.push({ at: now, keys: keys.map((key) => key.join('/')) });
      return keys.filter((key) => state.busy.some((busy) => busy.join() === key.join()));
    },
  });
  const run = (ms: number): void => {
    const end = now + ms;
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      timers = timers.filter((each) => each !== next);
      now = next.at;
      next.act();
    }
    now = end;
  };
  return { made, run, state, flushes };
}

describe('a queue of refreshes', () => {
  it('makes one refresh of changes that come together, and the next a second later', () => {
    const { made, run, flushes } = queue();
    made.add([{ key: ['runs', 'list'] }, { key: ['approvals'] }]);
    run(50);
    made.add([{ key: ['runs', 'list'] }]);
    run(60);
    expect(flushes).toEqual([{ at: 100, keys: ['runs/list', 'approvals'] }]);
    made.add([{ key: ['runs', 'list'] }]);
    run(5_000);
    expect(flushes.slice(1)).toEqual([{ at: 1_100, keys: ['runs/list'] }]);
  });

  it('makes one refresh a second of a change every 10 ms, and loses none of them', () => {
    const { made, run, flushes } = queue();
    for (let n = 0; n < 1_000; n++) {
      made.add([{ key: ['runs', 'list'] }]);
      run(10);
    }
    expect(flushes.length).toBeLessThanOrEqual(11);
    const last = flushes.at(-1)?.at ?? 0;
    run(2_000);
    expect(flushes.at(-1)?.at).toBeGreaterThan(last);
  });

  it('fetches again what was on its way when the change came', () => {
    const { made, run, state, flushes } = queue();
    state.busy = [['runs', 'list']];
    made.add([{ key: ['runs', 'list'] }, { key: ['approvals'] }]);
    run(3_000);
    expect(flushes.map(({ keys }) => keys.join())).toEqual(['runs/list,approvals', 'runs/list', 'runs/list']);
    state.busy = [];
    run(10_000);
    expect(flushes).toHaveLength(4);
  });

  it('waits until the page is in sight', () => {
    const { made, run, state, flushes } = queue();
    state.hidden = true;
    made.add([{ key: ['runs'] }]);
    run(60_000);
    expect(flushes).toEqual([]);
    state.hidden = false;
    made.resume();
    run(100);
    expect(flushes).toHaveLength(1);
  });

  it('waits until the server has new figures, and once more for changes meanwhile', () => {
    const { made, run, flushes } = queue();
    const figures = { key: ['runs', 'activity'], serverAgeMs: 10_000 };
    made.add([figures]);
    run(5_000);
    made.add([figures]);
    run(30_000);
    expect(flushes.map(({ at }) => at)).toEqual([10_100, 20_100]);
  });

  it('forgets everything at its end', () => {
    const { made, run, flushes } = queue();
    made.add([{ key: ['a'] }, { key: ['b'], serverAgeMs: 1_000 }]);
    made.clear();
    run(60_000);
    expect(flushes).toEqual([]);
  });
});

describe('events of the tenant', () => {
  const keys = (event: string, data: unknown): string[] => refreshesOf(event, data).map(({ key }) => key.join('/'));

  it('of a run make its lists and the run itself old', () => {
    expect(keys('run.started', { execution_id: 'r1', trigger_type: 'http' })).toEqual(
      expect.arrayContaining(['runs/list', 'runs/latest', 'runs/activity', 'runs/r1']),
    );
    expect(keys('run.started', { execution_id: 'r1', trigger_type: 'schedule' })).toContain('schedules');
    expect(keys('run.ended', { execution_id: 'r1' })).toContain('approvals');
    expect(keys('run.ended', { execution_id: 'r1', trigger_type: 'schedule' })).toContain('schedules');
    expect(keys('delivery.recorded', { workflow_id: 'w' })).toEqual(['deliveries/list']);
  });

  it('of an approval and a workflow make no figures of runs old', () => {
    expect(keys('approval.waiting', { execution_id: 'r1' })).toEqual([
      'runs/list',
      'runs/latest',
      'runs/r1',
      'approvals',
    ]);
    expect(keys('workflow.changed', { workflow_id: 'w' })).toEqual(
      expect.arrayContaining(['workflows/list', 'schedules']),
    );
  });

  it('of a knowledge base make its documents and the list old', () => {
    expect(keys('knowledge.changed', { knowledge_base_id: 'b' })).toEqual(['knowledge/list', 'knowledge/b']);
    expect(keys('knowledge.changed', {})).toEqual(['knowledge/list']);
  });

  it('that begin a stream, say that events were missed, or are not known, make everything old', () => {
    for (const event of ['ready', 'missed', 'something.new']) expect(refreshesOf(event, null)).toBe(EVERYTHING);
    expect(keys('run.ended', 'no object')).toContain('runs/list');
  });
});

describe('a stream that is kept open', () => {
  /** Connections as lists of events; null for one that cannot be made. Ends after the last of them. */
  async function kept(connections: (string[] | null)[]) {
    const stop = new AbortController();
    const [events, lost, waits]: [string[], number[], number[]] = [[], [], []];
    const left = [...connections];
    await keepOpen<string>(
      {
        open: async function* () {
          const next = left.shift();
          if (next === null) throw new Error('refused');
          yield* next ?? [];
        },
        onEvent: (event) => {
          events.push(event);
          return event !== 'end';
        },
        onLost: (failures) => {
          lost.push(failures);
          if (left.length === 0) stop.abort();
        },
        wait: async (ms) => void waits.push(ms),
        random: () => 1,
      },
      stop.signal,
    );
    return { events, lost, waits };
  }

  it('goes on after a connection that ended, and waits longer and longer where none can be made', async () => {
    const { events, lost, waits } = await kept([['a'], null, null, null, ['b'], null]);
    expect(events).toEqual(['a', 'b']);
    expect(lost).toEqual([0, 1, 2, 3, 0, 1]);
    expect(waits.slice(0, 5)).toEqual([1_000, 1_000, 2_000, 4_000, 1_000]);
  });

  it('ends where its reader has all that it wants', async () => {
    const { events, lost } = await kept([['a', 'end', 'b'], ['c']]);
    expect([events, lost]).toEqual([['a', 'end'], []]);
  });

  it('spreads clients, and waits 15 seconds at most', () => {
    expect([0, 0.5, 1].map((random) => reconnectMs(3, random))).toEqual([2_000, 3_000, 4_000]);
    expect(reconnectMs(1_000, 1)).toBe(15_000);
  });
});
