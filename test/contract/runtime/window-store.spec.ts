import type { Throttle } from '../../../runtime/core/decide/throttle';
import { mongoWindowStore } from '../../../runtime/mongo/window-store';
import type { StartWindow, WindowStore } from '../../../runtime/ports/window-store';
import { execution, ready, T0 } from '../../support/runtime/records';
import { implementationsOf, type StorePair } from '../../support/runtime/store-pair';

const RATE = { limit: 2, periodMs: 1_000, burst: 2 } as const;
const throttle = (window: string, passed = false): Throttle => ({
  ...RATE,
  window,
  key: 'k',
  passed,
});
const started = (...ids: string[]) => ids.map((id, n) => ({ id, at: T0 + n }));

describe.each(implementationsOf(({ windows }) => windows, mongoWindowStore))('%s', (_, open) => {
  let subject: StorePair<WindowStore>;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject?.close());

  it('admits on what was read, once', async () => {
    const { store: windows, others } = subject;
    const empty = await windows.read('one');
    expect(empty).toEqual({ starts: [], queued: false, revision: null });
    expect(await windows.admit('one', empty, { starts: started('a'), queued: false }, 1_000)).toBe(true);
    expect(await others.admit('one', empty, { starts: started('b'), queued: false }, 1_000)).toBe(false);
    const read = (await others.read('one')) as StartWindow;
    expect(read).toMatchObject({ starts: started('a'), queued: false });
    expect(await others.admit('one', read, { starts: started('a', 'b'), queued: true }, 1_000)).toBe(true);
    expect(await windows.admit('one', read, { starts: started('a', 'c'), queued: false }, 1_000)).toBe(false);
    expect(await windows.read('one')).toMatchObject({ starts: started('a', 'b'), queued: true });
  });

  it('refuses an admission that was read before a run began to wait', async () => {
    const { store: windows, others } = subject;
    await windows.markQueued('two', 'w', T0);
    const read = await windows.read('two');
    expect(read).toMatchObject({ starts: [], queued: true });
    await others.markQueued('two', 'x', T0 + 1);
    expect(await windows.admit('two', read, { starts: started('a'), queued: false }, 1_000)).toBe(false);
  });

  it('remembers how far the rates reach that share a window', async () => {
    const { store: windows, others } = subject;
    const reach = { limit: 5, periodMs: 60_000 };
    const empty = await windows.read('shared');
    expect(await windows.admit('shared', empty, { starts: started('a'), queued: false, reach }, 60_000)).toBe(true);
    await others.markQueued('shared', 'w', T0);
    expect(await others.read('shared')).toMatchObject({ starts: started('a'), queued: true, reach });
  });

  it('of many at once, admits one', async () => {
    const empty = await subject.store.read('many');
    const results = await Promise.all(
      Array.from({ length: 10 }, (_unused, n) =>
        (n % 2 === 0 ? subject.store : subject.others).admit(
          'many',
          empty,
          { starts: started(`r${n}`), queued: false },
          1_000,
        ),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
  });

  it('knows the waiting runs by rank, until they are admitted, have ended, or belong to another window', async () => {
    const { runs, store: windows } = subject;
    const waiting = (id: string, startedAt: number, more: object = {}) =>
      runs.insert(ready(id, T0 + 5_000, { throttle: throttle('w'), startedAt, ...more }));
    await waiting('late', T0 + 300);
    await waiting('early', T0 + 100);
    await waiting('urgent', T0 + 400, { rank: T0 - 1_000 });
    await waiting('passed', T0, { throttle: throttle('w', true) });
    await waiting('other', T0, { throttle: throttle('v') });
    await runs.insert(execution('held', { throttle: throttle('w'), startedAt: T0 + 200 }));
    const ids = async () => (await windows.waiters('w', 9)).map(({ id }) => id);
    expect(await windows.waiters('w', 2)).toEqual([
      { id: 'urgent', wakeAt: T0 + 5_000, rate: RATE },
      { id: 'early', wakeAt: T0 + 5_000, rate: RATE },
    ]);
    expect(await windows.waiters('w', 9)).toContainEqual({ id: 'held', wakeAt: null, rate: RATE });
    expect(await ids()).toEqual(['urgent', 'early', 'held', 'late']);
    await windows.pass('early');
    await windows.pass('no such run');
    expect(await ids()).toEqual(['urgent', 'held', 'late']);
    expect((await runs.load('early'))?.throttle).toEqual(throttle('w', true));
    expect((await runs.load('urgent'))?.rank).toBe(T0 - 1_000);
  });

  it('makes a waiting run due earlier, never later, and counts it as a message', async () => {
    const { runs, store: windows } = subject;
    await runs.insert(ready('sleeper', T0 + 5_000, { throttle: throttle('z') }));
    await windows.wakeAt('sleeper', T0 + 3_000);
    expect(await runs.load('sleeper')).toMatchObject({ wakeAt: T0 + 3_000, messageSeq: 1 });
    await windows.wakeAt('sleeper', T0 + 4_000);
    expect((await runs.load('sleeper'))?.wakeAt).toBe(T0 + 3_000);
    await windows.pass('sleeper');
    await windows.wakeAt('sleeper', T0);
    expect((await runs.load('sleeper'))?.wakeAt).toBe(T0 + 3_000);
  });
});
