import { NO_METERS } from '../../../runtime/execution/meters';
import { Poller } from '../../../runtime/worker/poller';
import { Lease } from '../../../runtime/worker/lease';
import { withTimeout } from '../../../lib/with-timeout';
import { GroupCommit } from '../../../runtime/mongo/group-commit';
import { ManualClock, settle } from '../../support/manual-clock';
import type { HostStore } from '../../../runtime/ports/host-store';
import { SimConnection, SimDatabase } from '../../support/runtime/sim-store';

const LEASE_MS = 4_000;

/** `unanswered`: numbers of the renewals, from 1, that reach the database and are never answered. */
async function leased(unanswered: readonly number[] = []) {
  const clock = new ManualClock();
  const db = new SimDatabase(() => clock.now());
  const connection = new SimConnection(db);
  const sent: number[] = [];
  const hosts: HostStore = {
    ...connection.hosts,
    renew: (...args) => {
      sent.push(clock.now());
      const answer = connection.hosts.renew(...args);
      return unanswered.includes(sent.length) ? new Promise(() => {}) : answer;
    },
  };
  const fenced: string[] = [];
  const faults: unknown[] = [];
  let renewed = 0;
  let generation = 0;
  const lease = new Lease({
    hosts,
    clock,
    leaseMs: LEASE_MS,
    newHost: () => ({ id: `h${++generation}`, nodeId: 'n', version: 'v', capacity: 1 }),
    meters: NO_METERS,
    figures: () => ({ draining: false, running: 0, waiting: 0, lagMs: 0 }),
    onFenced: (id) => fenced.push(id),
    onRenewed: () => (renewed += 1),
    onFault: (fault) => faults.push(fault),
  });
  await lease.start();
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await settle();
    }
  };
  return { clock, db, connection, lease, fenced, faults, pass, sent, renewals: () => renewed };
}

describe('a lease', () => {
  it('holds as long as it is renewed', async () => {
    const { lease, fenced, pass, renewals } = await leased();
    await pass(20_000);
    expect([lease.holds('h1'), fenced]).toEqual([true, []]);
    expect(renewals()).toBeGreaterThanOrEqual(18);
  });

  it('L1: ends before the database may declare the host dead', async () => {
    const { clock, db, connection, lease, fenced, pass } = await leased();
    await pass(1_500);
    connection.fails = (verb) => (verb === 'renew' || verb === 'register' ? 'before' : null);
    while (fenced.length === 0) await pass(100);
    expect(clock.now()).toBeLessThan(db.hosts.get('h1')?.leaseUntil ?? 0);
    expect(lease.holds('h1')).toBe(false);
  });

  it('L1: counts from when the renewal was sent, not from its answer', async () => {
    const { clock, connection, lease, pass } = await leased();
    const release = connection.hold('renew');
    await pass(2_900);
    const trusted = lease.holds('h1');
    release();
    await settle();
    expect(trusted).toBe(true);
    clock.advance(1_000 + LEASE_MS * 0.75 - 2_900 - 1);
    expect(lease.holds('h1')).toBe(true);
  });

  it('L2: is replaced by one with a new id, and is not valid for the old id', async () => {
    const { db, connection, lease, fenced, pass } = await leased();
    connection.fails = (verb) => (verb === 'renew' ? 'before' : null);
    await pass(LEASE_MS);
    connection.fails = () => null;
    await pass(LEASE_MS);
    expect(fenced).toEqual(['h1']);
    expect([lease.hostId, lease.holds('h1'), lease.holds('h2')]).toEqual(['h2', false, true]);
    expect(db.hosts.get('h2')?.state).toBe('alive');
  });

  it('L2: that was declared dead in spite of renewals is fenced at once', async () => {
    const { db, lease, fenced, pass } = await leased();
    const host = db.hosts.get('h1');
    if (host !== undefined) host.state = 'dead';
    await pass(LEASE_MS / 4);
    expect([fenced, lease.holds('h1'), lease.holds('h2')]).toEqual([['h1'], false, true]);
  });

  it.each([
    ['one renewal', [2]],
    ['every second renewal', [2, 4, 6, 8, 10]],
  ])('L3: is kept under its id when %s is never answered', async (_, unanswered) => {
    const { lease, fenced, faults, pass, sent } = await leased(unanswered);
    await pass(LEASE_MS * 3);
    expect([fenced, lease.hostId, lease.holds('h1')]).toEqual([[], 'h1', true]);
    expect(faults).toHaveLength(unanswered.length);
    expect(String(faults[0])).toContain('lease renewal: no answer within 1000 ms');
    expect(sent.map((at) => at - (sent[0] as number))).toEqual(sent.map((__, n) => (n * LEASE_MS) / 4));
  });

  it('L3: is kept while every answer takes longer than the time to the next renewal', async () => {
    const { clock, connection, lease, fenced, pass } = await leased();
    for (let n = 0; n < 10; n++) {
      const release = connection.hold('renew');
      await pass(LEASE_MS * 0.4);
      release();
      await settle();
    }
    expect([fenced, lease.holds('h1'), clock.now() > 0]).toEqual([[], true, true]);
  });

  it('L3: is lost once when no renewal is answered, and is replaced', async () => {
    const { connection, lease, fenced, pass } = await leased();
    connection.hold('renew');
    await pass(LEASE_MS);
    expect([fenced, lease.hostId, lease.holds('h2')]).toEqual([['h1'], 'h2', true]);
  });

  it('L3: keeps no timer after its end', async () => {
    const { clock, db, connection, lease, faults, pass } = await leased();
    connection.fails = (verb) => (verb === 'leave' ? 'before' : null);
    const release = connection.hold('renew');
    await pass(LEASE_MS / 4);
    await lease.stop();
    release();
    await settle();
    expect([lease.holds('h1'), faults.length, clock.pending]).toEqual([false, 1, 0]);
    expect(db.hosts.get('h1')?.state).toBe('alive');
  });
});

describe('a poller', () => {
  it('polls after each poke, one at a time, and at each interval', async () => {
    const clock = new ManualClock();
    let looks = 0;
    let busy = 0;
    const poller = new Poller({
      clock,
      intervalMs: 1_000,
      poll: async () => {
        looks += 1;
        expect(++busy).toBe(1);
        await settle(1);
        busy -= 1;
        if (looks === 2) throw new Error('down');
      },
      onFault: () => {},
    });
    poller.poke();
    for (let n = 0; n < 5; n++) poller.poke();
    await settle(8);
    expect(looks).toBe(2);
    clock.advance(1_000);
    await settle(4);
    expect(looks).toBe(3);
    poller.pollWithin(300);
    poller.pollWithin(700);
    poller.pollWithin(5_000);
    clock.advance(300);
    await settle(4);
    expect(looks).toBe(4);
    poller.pollWithin(-5);
    poller.stop();
    poller.poke();
    poller.pollWithin(1);
    clock.advance(5_000);
    await settle(4);
    expect([looks, clock.pending]).toEqual([4, 0]);
  });
});

describe('a timeout of an answer', () => {
  it('returns the answer, its fault, or a timeout fault', async () => {
    const clock = new ManualClock();
    expect(await withTimeout(clock, 10, 'q', Promise.resolve(1))).toBe(1);
    await expect(withTimeout(clock, 10, 'q', Promise.reject(new Error('own')))).rejects.toThrow('own');
    const late = expect(withTimeout(clock, 10, 'q', new Promise(() => {}))).rejects.toThrow(
      'q: no answer within 10 ms',
    );
    clock.advance(10);
    await late;
    expect(clock.pending).toBe(0);
  });
});

describe('a group commit', () => {
  it('G1, G3: writes in order, and batches writes that arrive during another batch', async () => {
    const batches: number[][] = [];
    let busy = 0;
    const commit = new GroupCommit<number, number>(
      async (items) => {
        expect(++busy).toBe(1);
        batches.push(items);
        await settle(2);
        busy -= 1;
        return items.map((item) => item * 2);
      },
      { maxItems: 4, maxChars: 100 },
    );
    const first = [0, 1].map((n) => commit.add(n));
    await settle(1);
    const rest = [2, 3, 4, 5, 6, 7].map((n) => commit.add(n));
    expect(await Promise.all([...first, ...rest])).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    expect(batches).toEqual([
      [0, 1],
      [2, 3, 4, 5],
      [6, 7],
    ]);
  });

  it('G3: limits the text of a batch, and writes a longer text alone', async () => {
    const batches: number[][] = [];
    const commit = new GroupCommit<number, number>(
      async (items) => {
        batches.push(items);
        return items;
      },
      { maxItems: 10, maxChars: 100 },
      (item) => item,
    );
    await Promise.all([50, 50, 1, 300, 60, 30, 20].map((item) => commit.add(item)));
    expect(batches).toEqual([[50, 50], [1], [300], [60, 30], [20]]);
  });

  it('G2: rejects only its own batch with an error', async () => {
    let write = 0;
    const commit = new GroupCommit<string, string>(async (items) => {
      if (++write === 1) throw new Error('down');
      return items;
    });
    const first = await Promise.allSettled([commit.add('a'), commit.add('b')]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await commit.add('c')).toBe('c');
  });
});
