import { Watchers } from '../../../services/api-gateway/sse/watchers';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';

const client = (network: string, tenantId: string | null = null) => ({ network, tenantId });
const NOTHING = { events: [], ended: false, next: 3 };

function watching() {
  const clock = new ManualClock(0);
  const looks: number[] = [];
  const errors: unknown[] = [];
  const moved = new Set<string>();
  const watchers = new Watchers({
    clock,
    announce: () => {},
    onError: (error) => errors.push(error),
    look: (runs) => {
      looks.push(runs.length);
      return Promise.resolve([...moved]);
    },
  });
  return { clock, errors, looks, moved, watchers };
}

describe('the runs that are watched', () => {
  test('are read together, once a second, for any number of streams', async () => {
    const { clock, looks, moved, watchers } = watching();
    const streams = [];
    for (let n = 0; n < 4_000; n += 1) {
      const stream = watchers.watch(`run ${n % 800}`, client(`net ${n}`));
      await stream.after('public', 0, () => Promise.resolve(NOTHING));
      streams.push(stream);
    }
    clock.advance(1_000);
    await until('they are looked at', () => looks.length >= 2);
    expect(looks).toEqual([500, 300]);
    moved.add('run 7');
    const woken = streams[7]?.moved(1_000_000);
    await until('the next look is planned', () => {
      clock.advance(1_000);
      return looks.length >= 4;
    });
    expect(await woken).toBe(true);
    for (const { stop } of streams) stop();
  });

  test('are read once for all streams until they move', async () => {
    const { watchers } = watching();
    const [one, other] = [watchers.watch('run', client('a')), watchers.watch('run', client('b'))];
    const read = jest.fn((after: number) =>
      Promise.resolve({ events: [{ position: after + 1, event: 'step' as const, data: {} }], ended: false, next: 1 }),
    );
    const batches = await Promise.all([one.after('public', 0, read), other.after('public', 0, read)]);
    expect(batches[0]).toBe(batches[1]);
    expect((await one.after('public', 1, read)).events).toEqual([]);
    expect(read).toHaveBeenCalledTimes(1);
    watchers.moved('run');
    expect((await one.after('public', 1, read)).events).toHaveLength(1);
    expect(read).toHaveBeenCalledTimes(2);
    // What the public may see is not what the tenant may.
    await one.after('tenant', 1, read);
    expect(read).toHaveBeenCalledTimes(3);
  });

  test('a failed read is repeated at the next request', async () => {
    const { watchers } = watching();
    const stream = watchers.watch('run', client('a'));
    await expect(stream.after('public', 0, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await stream.after('public', 0, () => Promise.resolve(NOTHING))).toBe(NOTHING);
  });

  test.each([
    ['one run', 200, (n: number) => ['run', client(`net ${n}`)] as const],
    ['one address', 500, (n: number) => [`run ${n}`, client('net')] as const],
    ['one tenant', 2_000, (n: number) => [`run ${n}`, client(`net ${n}`, 'tenant')] as const],
  ])('have %s with at most %i streams, and accept another when one closes', (_, max, nth) => {
    const { watchers } = watching();
    const streams = Array.from({ length: max }, (__, n) => {
      const [id, from] = nth(n);
      watchers.assertRoom(id, from);
      return watchers.watch(id, from);
    });
    const [id, from] = nth(max);
    expect(() => watchers.assertRoom(id, from)).toThrow(expect.objectContaining({ type: 'rate_limited' }));
    expect(() => watchers.assertRoom('other', client('other'))).not.toThrow();
    streams[0]?.stop();
    streams[0]?.stop();
    expect(() => watchers.assertRoom(id, from)).not.toThrow();
  });
});
