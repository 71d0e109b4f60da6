import { TimeSlice } from '../../../lib/time-slices';
import { FairScheduler } from '../../../lib/fair-scheduler';

/** Attempts of a tenant that ask without end; how many go on before the others have had their turn. */
function atOnce(turns: FairScheduler, key: string): number {
  let count = 0;
  while (turns.take(key) === null) count += 1;
  return count;
}

const loop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** FairScheduler whose thread time passes only by `work`, and in which `others` ends the turn under way. */
function simulated() {
  let now = 0;
  const ends: (() => void)[] = [];
  const turns = new FairScheduler(
    (goOn) => void ends.push(goOn),
    () => now,
  );
  return {
    turns,
    ends,
    work: (ms: number) => void (now += ms),
    async others(): Promise<void> {
      ends.shift()?.();
      await loop();
    },
  };
}

describe('attempts without waits', () => {
  it('pause after some dozens, and continue after the others', async () => {
    const { turns, ends, others } = simulated();
    const first = atOnce(turns, 'a');
    expect(first).toBeGreaterThan(10);
    let went = 0;
    for (let n = 0; n < 3; n++) void turns.take('a')?.then(() => (went += 1));
    await loop();
    expect([ends.length, went]).toEqual([1, 0]);
    await others();
    expect(went).toBe(3);
    await others();
    expect(atOnce(turns, 'a')).toBe(first);
  });

  it('of a single tenant wait for one iteration of the event loop', async () => {
    const turns = new FairScheduler();
    atOnce(turns, 'a');
    await turns.take('a');
    expect(turns.take('a')).toBeNull();
  });
});

describe('tenants that share the main thread', () => {
  it('are served in turn, for any queue lengths', async () => {
    const { turns, work, others } = simulated();
    const order: string[] = [];
    const queue = async (key: string): Promise<void> => {
      await turns.next(key);
      expect(turns.pause(key)).toBeNull();
      order.push(key);
      work(4);
    };
    for (let n = 0; n < 100; n++) void queue('busy');
    await others();
    for (let n = 0; n < 3; n++) void queue('quiet');
    while (order.filter((key) => key === 'quiet').length < 3) await others();
    expect(order.length).toBeLessThan(12);
  });

  it('are not queued while they use little, though another one has used up the time', () => {
    const { turns, work } = simulated();
    turns.measured('busy', () => work(11), fail);
    expect(turns.pause('busy')).toBeNull();
    turns.measured('busy', () => work(11), fail);
    expect(turns.pause('busy')).not.toBeNull();
    expect(turns.pause('quiet')).toBeNull();
    turns.measured('quiet', () => work(3), fail);
    expect(turns.pause('quiet')).not.toBeNull();
  });

  it('use the thread together for at most 20 ms and one more task before I/O is processed', () => {
    const { turns, work } = simulated();
    let heldMs = 0;
    for (let n = 0; n < 100; n++) {
      if (turns.pause(`tenant-${n}`) !== null) continue;
      work(1);
      heldMs += 1;
    }
    expect(heldMs).toBeLessThanOrEqual(21);
  });

  it('do not accumulate time while they are idle', async () => {
    const { turns, work, others } = simulated();
    const order: string[] = [];
    const queue = async (key: string): Promise<void> => {
      await turns.next(key);
      order.push(key);
      work(10);
    };
    for (let n = 0; n < 50; n++) void queue('old');
    for (let n = 0; n < 20; n++) await others();
    for (let n = 0; n < 50; n++) void queue('new');
    for (let n = 0; n < 20; n++) await others();
    const oldOnes = order.slice(20).filter((key) => key === 'old').length;
    expect(oldOnes).toBeGreaterThanOrEqual(8);
    expect(oldOnes).toBeLessThanOrEqual(12);
  });

  it('share it with sliced tasks, each of one tenant', async () => {
    const order: string[] = [];
    const task = async (key: string): Promise<void> => {
      await new TimeSlice(key).pause();
      order.push(key);
      for (const until = performance.now() + 11; performance.now() < until; );
    };
    const all = [...Array.from({ length: 10 }, () => task('busy')), task('quiet')];
    await Promise.all(all);
    expect(order.indexOf('quiet')).toBeLessThan(3);
  });
});

const fail = (): never => {
  throw new Error('Reported as long');
};
