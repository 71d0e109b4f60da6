import { type Slot, Slots } from '../../../runtime/worker/slots';
import { Chance } from '../../chaos/chance';
import { ManualClock, settle } from '../../support/manual-clock';
import { SimConnection, SimDatabase } from '../../support/runtime/sim-store';

const TIMEOUT_MS = 4_000;

class Room {
  readonly clock = new ManualClock();
  readonly db = new SimDatabase(() => this.clock.now());
  limit: number | null = 10;
  readonly unregistered = new Set<string>();
  readonly freed: string[] = [];
  readonly closed: string[] = [];
  readonly faults: unknown[] = [];
  /** How hosts learn the limit; a test may let it fail. */
  limitOf = async (): Promise<number | null> => this.limit;

  host(id: string) {
    const connection = new SimConnection(this.db);
    const slots = new Slots(
      {
        slots: connection.slots,
        clock: this.clock,
        timeoutMs: TIMEOUT_MS,
        limit: () => this.limitOf(),
        holds: (host) => !this.unregistered.has(host),
        onFree: (tenant) => this.freed.push(tenant),
        onClosed: (tenant) => this.closed.push(tenant),
        onFault: (fault) => this.faults.push(fault),
      },
      id,
    );
    return { connection, slots, id };
  }

  shareOf(host: string): number {
    return this.db.ledgers.get('t')?.allocations.find((share) => share.host === host)?.n ?? 0;
  }

  get taken(): number {
    return (this.db.ledgers.get('t')?.allocations ?? []).reduce((sum, { n }) => sum + n, 0);
  }
}

const giveAll = (slots: readonly Slot[]): void => {
  for (const slot of slots) slot.release();
};

describe('slots', () => {
  it('T1: are allocated up to the limit over all hosts', async () => {
    const room = new Room();
    const hosts = ['a', 'b', 'c'].map((id) => room.host(id));
    const had = await Promise.all(hosts.map(({ slots }) => slots.take('t', 5)));
    // The first host has one in reserve.
    expect(had.map(({ length }) => length)).toEqual([5, 4, 0]);
    expect(await hosts[0]?.slots.take('t', 2)).toHaveLength(1);
    expect(await hosts[2]?.slots.take('t', 1)).toEqual([]);
    expect(room.taken).toBe(10);
  });

  it('that a host has in reserve need no request', async () => {
    const room = new Room();
    room.limit = 1_000;
    const { slots, connection } = room.host('a');
    expect(slots.tryTake('t')).toBeNull();
    await slots.take('t', 1);
    connection.fails = () => 'before';
    expect(slots.tryTake('t')).not.toBeNull();
    expect(slots.inUse('t')).toBe(2);
  });

  it('are requested once for many concurrent callers', async () => {
    const room = new Room();
    room.limit = 1_000;
    const { slots, connection } = room.host('a');
    let asked = 0;
    connection.fails = (verb) => {
      if (verb === 'swap') asked += 1;
      return null;
    };
    const had = await Promise.all(Array.from({ length: 50 }, () => slots.take('t', 1)));
    expect(had.flat()).toHaveLength(50);
    expect(asked).toBeLessThanOrEqual(2);
  });

  it('are given to callers that arrive during another request, up to the limit', async () => {
    const room = new Room();
    const { slots, connection } = room.host('a');
    const release = connection.hold('swap');
    const early = slots.take('t', 1);
    await settle();
    const late = Promise.all(Array.from({ length: 8 }, () => slots.take('t', 1)));
    release();
    expect([...(await early), ...(await late).flat()]).toHaveLength(9);
  });

  it('T2: are released once', async () => {
    const room = new Room();
    const { slots } = room.host('a');
    const [one] = await slots.take('t', 1);
    await slots.take('t', 1);
    one?.release();
    one?.release();
    expect(slots.inUse('t')).toBe(1);
    expect(room.freed).toEqual(['t']);
  });

  it('of a tenant without a limit are only counted, not stored', async () => {
    const room = new Room();
    room.limit = null;
    const { slots } = room.host('a');
    const had = await slots.take('t', 500);
    expect([had.length, slots.inUse('t'), room.db.ledgers.size]).toEqual([500, 500, 0]);
    expect(slots.tryTake('t')).not.toBeNull();
  });

  it('T3: of a fenced id do not count under the next one', async () => {
    const room = new Room();
    const { slots } = room.host('a');
    const had = await slots.take('t', 6);
    slots.moveTo('a2');
    giveAll(had);
    expect([slots.inUse('t'), slots.hasFree('t')]).toEqual([0, false]);
    expect(await slots.take('t', 6)).toHaveLength(10 - room.shareOf('a'));
    expect(room.taken).toBe(10);
  });

  it('T3: requested by an id that is fenced meanwhile are refused', async () => {
    const room = new Room();
    const { slots, connection } = room.host('a');
    const release = connection.hold('swap');
    const asked = slots.take('t', 1);
    await settle();
    slots.moveTo('a2');
    release();
    await expect(asked).rejects.toThrow('lease');
    expect(slots.inUse('t')).toBe(0);
  });

  it('T3: are not requested under an unregistered id', async () => {
    const room = new Room();
    const { slots } = room.host('a');
    room.unregistered.add('a2');
    slots.moveTo('a2');
    await expect(slots.take('t', 1)).rejects.toThrow('lease');
    expect(room.taken).toBe(0);
    room.unregistered.clear();
    expect(await slots.take('t', 1)).toHaveLength(1);
  });

  it('T4: that are not used are released, and nothing remains of an idle tenant', async () => {
    const room = new Room();
    room.limit = 1_000;
    const { slots } = room.host('a');
    giveAll(await slots.take('t', 100));
    const shares: number[] = [];
    for (let n = 0; n < 6; n++) {
      await slots.settle(true);
      shares.push(room.taken);
    }
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(room.taken).toBe(0);
  });

  it('T5: that are in use when the limit becomes 0 are reported at each settlement until they are released', async () => {
    const room = new Room();
    room.limit = null;
    const { slots } = room.host('a');
    const held = await slots.take('t', 2);
    await slots.settle(true);
    expect(room.closed).toEqual([]);
    room.limit = 0;
    await slots.settle(true);
    await slots.settle(true);
    expect(room.closed).toEqual(['t', 't']);
    expect(await slots.take('t', 1)).toEqual([]);
    giveAll(held);
    await slots.settle(true);
    expect(room.closed).toHaveLength(2);
  });

  it('T4: are released at once when the host has no capacity for them', async () => {
    const room = new Room();
    room.limit = 1_000;
    const { slots } = room.host('a');
    const had = await slots.take('t', 100);
    giveAll(had.slice(1));
    await slots.settle(false);
    expect(room.taken).toBe(1);
  });

  it('are not allocated over a lower limit, and the pool counts those in use until their release', async () => {
    const room = new Room();
    const [a, b] = [room.host('a'), room.host('b')];
    const [ofA, ofB] = [await a.slots.take('t', 5), await b.slots.take('t', 4)];
    room.limit = 4;
    for (const { slots } of [a, b]) await slots.settle(true);
    expect(room.taken).toBe(9);
    giveAll(ofA.slice(0, 3));
    expect(a.slots.tryTake('t')).toBeNull();
    expect(await a.slots.take('t', 1)).toEqual([]);
    giveAll(ofB);
    for (const { slots } of [b, a]) await slots.settle(true);
    expect(await b.slots.take('t', 5)).toHaveLength(2);
  });

  it('of a tenant that gets a limit are stored from then on', async () => {
    const room = new Room();
    room.limit = null;
    const a = room.host('a');
    await a.slots.take('t', 6);
    room.limit = 8;
    await a.slots.settle(true);
    expect(room.shareOf('a')).toBe(6);
    expect(await room.host('b').slots.take('t', 5)).toHaveLength(2);
  });

  it('without a limit any more are removed from the pool', async () => {
    const room = new Room();
    const { slots } = room.host('a');
    await slots.take('t', 3);
    room.limit = null;
    await slots.settle(true);
    expect(room.taken).toBe(0);
    expect(slots.tryTake('t')).not.toBeNull();
  });

  it('are not available while the limit is unknown', async () => {
    const room = new Room();
    const { slots } = room.host('a');
    const { limitOf } = room;
    room.limitOf = () => Promise.reject(new Error('no answer'));
    await expect(slots.take('t', 1)).rejects.toThrow('no answer');
    room.limitOf = limitOf;
    expect(await slots.take('t', 1)).toHaveLength(1);
  });

  it('allocated by a write whose answer was lost are found and released', async () => {
    const room = new Room();
    const { slots, connection } = room.host('a');
    connection.fails = (verb) => (verb === 'swap' ? 'after' : null);
    await expect(slots.take('t', 3)).rejects.toThrow('lost');
    expect(room.taken).toBeGreaterThan(0);
    connection.fails = () => null;
    await slots.settle(true);
    expect(room.taken).toBe(0);
  });

  it('T1: are not reused after a release while it is unknown whether the pool still has them', async () => {
    const room = new Room();
    const { slots, connection } = room.host('a');
    giveAll(await slots.take('t', 6));
    connection.fails = (verb) => (verb === 'swap' ? 'after' : null);
    await slots.settle(false);
    expect(room.faults).toHaveLength(1);
    expect(room.taken).toBe(0);
    expect(slots.tryTake('t')).toBeNull();
  });

  it('T1: are not allocated by a request that arrives very late', async () => {
    const room = new Room();
    const { slots, connection } = room.host('a');
    const release = connection.hold('swap');
    const asked = slots.take('t', 3);
    await settle();
    room.clock.advance(TIMEOUT_MS);
    await expect(asked).rejects.toThrow('no answer');
    // Later requests overtake the delayed one.
    connection.hold('swap')();
    await slots.settle(true);
    release();
    await settle();
    expect(room.taken).toBe(0);
  });

  it('in use never exceed the limit or the pool, for any failures and delays', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = new Chance(seed);
      const room = new Room();
      room.limit = random.between(1, 12);
      const hosts = ['a', 'b', 'c'].map((id) => room.host(id));
      const had = new Map<string, Slot[]>(hosts.map(({ id }) => [id, []]));
      const held: (() => void)[] = [];
      for (const { connection } of hosts)
        connection.fails = (verb) =>
          verb === 'swap' && random.next() < 0.15 ? (random.next() < 0.5 ? 'before' : 'after') : null;
      for (let step = 0; step < 100; step++) {
        const { slots, connection, id } = hosts[random.between(0, 2)] as ReturnType<Room['host']>;
        const mine = had.get(id) as Slot[];
        const act = random.between(0, 9);
        if (act < 4)
          void slots.take('t', random.between(1, 3)).then(
            (got) => mine.push(...got),
            () => {},
          );
        else if (act < 7) mine.splice(random.between(0, mine.length), 2).forEach((slot) => slot.release());
        else if (act === 7) void slots.settle(random.next() < 0.5);
        else if (act === 8) held.push(connection.hold('swap'));
        else held.shift()?.();
        if (random.next() < 0.6) await settle(1);
        if (random.next() < 0.1) room.clock.advance(TIMEOUT_MS);
        const inUse = hosts.map((host) => host.slots.inUse('t'));
        expect(inUse.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(room.limit);
        hosts.forEach((host, index) => expect(inUse[index]).toBeLessThanOrEqual(room.shareOf(host.id)));
      }
      for (const release of held) release();
      for (const { connection } of hosts) connection.fails = () => null;
      await settle();
      room.clock.advance(TIMEOUT_MS);
      await settle();
      for (const slots of had.values()) giveAll(slots);
      for (let n = 0; n < 6; n++) for (const { slots } of hosts) await slots.settle(true);
      expect(room.taken).toBe(0);
      expect(await hosts[0]?.slots.take('t', 99)).toHaveLength(room.limit);
    }
  });
});
