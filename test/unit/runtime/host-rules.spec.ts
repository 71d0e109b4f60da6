import { isToEnd, partitionFirst, pick } from '../../../runtime/worker/pick';
import { allocate, toKeep, wantedFor } from '../../../runtime/worker/slot-allocation';
import type { Candidate } from '../../../runtime/core/model';
import type { SlotAllocation } from '../../../runtime/ports/slot-store';
import { Chance } from '../../chaos/chance';

const candidate = (id: string, tenantId: string, since: number, given: Partial<Candidate> = {}): Candidate => ({
  id,
  tenantId,
  epoch: 0,
  since,
  deadlineAt: null,
  cancelling: false,
  parked: false,
  claims: 0,
  ...given,
});
const ids = (runs: readonly Candidate[]): string[] => runs.map(({ id }) => id);
const none = (): number => 0;
const sum = (shares: readonly SlotAllocation[]): number => shares.reduce((total, { n }) => total + n, 0);

describe('picking', () => {
  it('gives each tenant one run before any gets a second', () => {
    const runs = [
      ...[1, 2, 3, 4].map((n) => candidate(`a${n}`, 'a', n)),
      candidate('b1', 'b', 9),
      candidate('c1', 'c', 8),
    ];
    expect(ids(pick(runs, none, 4))).toEqual(['a1', 'c1', 'b1', 'a2']);
    expect(ids(pick(runs, none, 100))).toHaveLength(6);
    expect(pick(runs, none, 0)).toEqual([]);
  });

  it('begins with the tenant that has the fewest runs on this host', () => {
    const runs = [candidate('a', 'a', 1), candidate('b', 'b', 2), candidate('c', 'c', 3)];
    const running = new Map([
      ['a', 2],
      ['b', 1],
    ]);
    expect(ids(pick(runs, (tenant) => running.get(tenant) ?? 0, 2))).toEqual(['c', 'b']);
  });

  it('is fair and in order for any input', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Chance(seed);
      const runs = Array.from({ length: random.between(0, 59) }, (_, n) =>
        candidate(`r${n}`, `t${random.between(0, 5)}`, random.between(0, 49)),
      ).sort((a, b) => a.since - b.since);
      const room = random.between(0, 39);
      const picks = pick(runs, (tenant) => tenant.length, room);
      expect(picks).toHaveLength(Math.min(room, runs.length));
      expect(new Set(picks).size).toBe(picks.length);
      const tenants = [...new Set(runs.map(({ tenantId }) => tenantId))];
      const left = (tenant: string) => runs.filter((run) => run.tenantId === tenant && !picks.includes(run));
      const got = (tenant: string) => picks.filter((run) => run.tenantId === tenant);
      for (const tenant of tenants) {
        expect(got(tenant)).toEqual(runs.filter((run) => run.tenantId === tenant).slice(0, got(tenant).length));
        // A tenant with remaining runs has got as many as any other, except for one of the last round.
        if (left(tenant).length > 0)
          for (const other of tenants) expect(got(other).length).toBeLessThanOrEqual(got(tenant).length + 1);
      }
    }
  });

  it('lets hosts begin with different runs, and omits none', () => {
    const runs = Array.from({ length: 200 }, (_, n) => candidate(`run-${n}`, 'a', n));
    const orders = [0, 1, 2].map((position) => partitionFirst(runs, { position, count: 3 }));
    for (const order of orders) expect(new Set(order)).toEqual(new Set(runs));
    const firsts = orders.flatMap((order) => ids(order.slice(0, 40)));
    expect(new Set(firsts).size).toBe(120);
    expect(partitionFirst(runs, { position: 0, count: 1 })).toEqual(runs);
  });

  it('selects the runs that are claimed only to be ended', () => {
    expect(isToEnd({ cancelling: false, deadlineAt: null }, 5)).toBe(false);
    expect(isToEnd({ cancelling: true, deadlineAt: null }, 5)).toBe(true);
    expect(isToEnd({ cancelling: false, deadlineAt: 6 }, 5)).toBe(false);
    expect(isToEnd({ cancelling: false, deadlineAt: 5 }, 5)).toBe(true);
  });
});

describe('sharing slots', () => {
  it('never gives more than the limit, and never less than is in use', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Chance(seed);
      let limit = random.between(0, 29);
      let shares: readonly SlotAllocation[] = [];
      const inUse = new Map<string, number>();
      for (let step = 0; step < 60; step++) {
        const host = `h${random.between(0, 3)}`;
        const used = inUse.get(host) ?? 0;
        const before = sum(shares);
        if (random.between(0, 19) === 0) limit = random.between(0, 29);
        const wanted =
          random.between(0, 1) === 0
            ? random.between(0, 9)
            : wantedFor(shares, { host, inUse: used, more: random.between(1, 8), limit });
        const next = allocate(shares, { host, inUse: used, wanted, limit });
        shares = next.allocations;
        const own = shares.find((share) => share.host === host)?.n ?? 0;
        expect(own).toBe(Math.max(used, next.usable));
        expect(shares.every(({ n }) => n > 0)).toBe(true);
        expect(sum(shares)).toBeLessThanOrEqual(Math.max(limit, before));
        inUse.set(host, random.between(0, own));
      }
    }
  });

  it('allocates some in reserve, but leaves some to others', () => {
    const ask = (shares: SlotAllocation[], inUse: number, limit: number) =>
      wantedFor(shares, { host: 'h', inUse, more: 1, limit });
    expect(ask([], 0, 1)).toBe(1);
    expect(ask([], 0, 5)).toBe(2);
    expect(ask([], 0, 1_000)).toBe(5);
    expect(ask([], 99, 1_000)).toBe(200);
    expect(ask([{ host: 'x', n: 796 }], 100, 1_000)).toBe(126);
    expect(ask([{ host: 'x', n: 1_000 }], 0, 1_000)).toBe(1);
  });

  it('releases unused ones in steps, and the last ones at once', () => {
    expect(toKeep(200, 150)).toBe(150);
    expect(toKeep(200, 10)).toBe(50);
    expect(toKeep(9, 0)).toBe(2);
    expect(toKeep(8, 0)).toBe(0);
    expect(toKeep(8, 1)).toBe(2);
  });
});
