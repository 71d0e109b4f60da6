import { CANCEL } from '../../../runtime/core/state/state';
import { type Execution, NEVER_MS } from '../../../runtime/core/model';
import type { HostFigures, HostStore } from '../../../runtime/ports/host-store';
import type { RunStore } from '../../../runtime/ports/run-store';
import type { SlotStore } from '../../../runtime/ports/slot-store';
import { ending, execution, mail, ready, T0 } from '../../support/runtime/records';
import { claimOf, STORES, type Subject, take } from '../../support/runtime/stores';

const figures = (given: Partial<HostFigures> = {}): HostFigures => ({
  draining: false,
  running: 0,
  waiting: 0,
  lagMs: 0,
  ...given,
});

describe.each(STORES)('%s', (_, open) => {
  let subject: Subject;
  let runs: RunStore;
  let hosts: HostStore;
  let slots: SlotStore;
  beforeAll(async () => {
    subject = await open();
    ({ runs, hosts, slots } = subject);
  });
  beforeEach(() => subject.empty());
  afterAll(() => subject?.close());

  describe('claim', () => {
    it('takes what is due, oldest first, with a new epoch, and no more than asked', async () => {
      await runs.insert(ready('late', T0 + 1));
      await runs.insert(ready('third', T0));
      await runs.insert(
        ready('first', T0 - 20, {
          epoch: 7,
          waiting: [{ step_id: null, kind: 'capacity', name: null, since: T0, until: null }],
        }),
      );
      await runs.insert(ready('second', T0 - 10));
      await runs.insert(execution('owned'));
      const claimed = await take(runs, 'h2', T0, 2);
      expect(claimed.map(({ id }) => id)).toEqual(['first', 'second']);
      expect(claimed[0]).toMatchObject({ owner: 'h2', epoch: 8, wakeAt: null, waiting: [] });
      expect(await runs.load('first')).toEqual(claimed[0]);
      expect((await take(runs, 'h2', T0, 10)).map(({ id }) => id)).toEqual(['third']);
      expect(await take(runs, 'h2', T0, 10)).toEqual([]);
    });

    it('gives each run to one of the hosts that ask at once', async () => {
      for (let n = 0; n < 300; n++) await runs.insert(ready(`r${n}`, T0 - n));
      const stores = [runs, ...subject.others];
      const claimed = await Promise.all(
        stores.map(async (store, host) => {
          const mine: string[] = [];
          for (let empty = 0; empty < 3; ) {
            const batch = await take(store, `h${host}`, T0, 16);
            empty = batch.length === 0 ? empty + 1 : 0;
            for (const { id, owner, epoch } of batch) {
              expect([owner, epoch]).toEqual([`h${host}`, 1]);
              mine.push(id);
            }
          }
          return mine;
        }),
      );
      const all = claimed.flat();
      expect(all).toHaveLength(300);
      expect(new Set(all).size).toBe(300);
    });
  });

  describe('candidates', () => {
    it('are those that are due, oldest first, with what a choice needs', async () => {
      await runs.insert(ready('b', T0 - 1, { tenantId: 't2', epoch: 4, deadlineAt: T0 + 9, cancelling: true }));
      await runs.insert(ready('a', T0 - 2, { claims: 2 }));
      await runs.insert(ready('later', T0 + 1));
      await runs.insert(execution('owned'));
      const a = { id: 'a', tenantId: 'tenant', epoch: 0, since: T0 - 2, deadlineAt: null, cancelling: false };
      const b = { id: 'b', tenantId: 't2', epoch: 4, since: T0 - 1, deadlineAt: T0 + 9, cancelling: true };
      expect(await runs.due(T0, 9)).toEqual([
        { ...a, parked: false, claims: 2 },
        { ...b, parked: false, claims: 0 },
      ]);
      expect((await runs.due(T0, 1)).map(({ id }) => id)).toEqual(['a']);
    });

    it('are neither claimed nor parked for a tenant whose they are not', async () => {
      await runs.insert(ready('a', T0));
      const seen = (await runs.due(T0, 9)).map((run) => ({ ...run, tenantId: 'other' }));
      expect(await runs.claim('h1', seen)).toEqual([]);
      expect(await runs.claim('h1', [...seen, ...seen])).toEqual([]);
      await runs.park(seen, T0);
      expect(await runs.load('a')).toMatchObject({ owner: null, parked: false, epoch: 0 });
    });

    it('are found tenant by tenant, however much one of them has', async () => {
      for (let n = 0; n < 20; n++) await runs.insert(ready(`many${n}`, T0 - 100 + n, { tenantId: 'b' }));
      await runs.insert(ready('c1', T0 - 1, { tenantId: 'c' }));
      await runs.insert(ready('c0', T0 - 2, { tenantId: 'c' }));
      await runs.insert(ready('waits', T0 + 1, { tenantId: 'd' }));
      await runs.insert(ready('e', T0, { tenantId: 'e' }));
      const ids = async (after: string) => (await runs.dueByTenant(after, T0, 2)).due.map(({ id }) => id);
      expect(await ids('')).toEqual(['many0', 'many1', 'c0', 'c1', 'e']);
      expect(await ids('b')).toEqual(['c0', 'c1', 'e']);
      expect(await runs.dueByTenant('e', T0, 2)).toEqual({ due: [], last: null });
    });

    it('are not taken when they have changed since they were seen', async () => {
      for (const id of ['a', 'b', 'c']) await runs.insert(ready(id));
      const seen = await runs.due(T0, 9);
      await runs.claim('h1', [{ id: 'a', tenantId: 'tenant', epoch: 0 }]);
      await runs.claim('h1', [{ id: 'b', tenantId: 'tenant', epoch: 0 }]);
      await runs.release(claimOf('b'), { messageSeq: 0, wakeAt: T0, waiting: [] });
      expect((await runs.claim('h2', seen)).map(({ id }) => id)).toEqual(['c']);
      expect(await runs.claim('h2', [])).toEqual([]);
    });
  });

  describe('parked runs', () => {
    const parked = (id: string, given: Partial<Execution> = {}) => ready(id, NEVER_MS, { parked: true, ...given });

    it('are not due, and are found in the order of their starts, by tenant', async () => {
      await runs.insert(parked('b', { startedAt: T0 + 2 }));
      await runs.insert(parked('a', { startedAt: T0 + 3 }));
      await runs.insert(parked('c', { tenantId: 'other' }));
      expect(await runs.due(T0 + 1e12, 9)).toEqual([]);
      expect(await runs.parkedOf('tenant', 9)).toMatchObject([
        { id: 'b', since: T0 + 2, parked: true },
        { id: 'a', since: T0 + 3, parked: true },
      ]);
      expect(await runs.parkedOf('tenant', 1)).toHaveLength(1);
      expect(await runs.parkedTenants('', 9)).toEqual(['other', 'tenant']);
      expect(await runs.parkedTenants('other', 9)).toEqual(['tenant']);
      expect(await runs.parkedTenants('', 1)).toEqual(['other']);
    });

    it('are parked no more once they are claimed', async () => {
      await runs.insert(parked('a'));
      expect(await runs.claim('h1', await runs.parkedOf('tenant', 9))).toMatchObject([{ id: 'a', parked: false }]);
      expect(await runs.parkedTenants('', 9)).toEqual([]);
    });

    it('become due by a message, and can be parked again without losing it', async () => {
      await runs.insert(parked('a', { deadlineAt: T0 + 500 }));
      await runs.addMessage('a', mail('m'), T0);
      const due = await runs.due(T0, 9);
      expect(due).toMatchObject([{ id: 'a', parked: false }]);
      await runs.park(due, T0 + 1);
      expect(await runs.load('a')).toMatchObject({
        messageSeq: 1,
        parked: true,
        wakeAt: T0 + 500,
        waiting: [{ kind: 'slot', name: null, step_id: null, since: T0 + 1, until: null }],
      });
      expect((await runs.messages('a')).messages).toHaveLength(1);
    });

    it('that are cancelled are due at once, and cannot be parked again', async () => {
      await runs.insert(parked('a'));
      await runs.addMessage('a', mail('m', { name: CANCEL }), T0);
      const due = await runs.due(T0, 9);
      expect(due).toMatchObject([{ id: 'a', cancelling: true }]);
      await runs.park(due, T0);
      expect(await runs.load('a')).toMatchObject({ cancelling: true, parked: false, wakeAt: T0 });
    });

    it('that clean up are parked until they must have done so, though they were cancelled and are late', async () => {
      const closing = { deadlineAt: T0 - 9, cleanupDeadline: T0 + 500 };
      await runs.insert(ready('a', T0, { ...closing, cancelling: true }));
      await runs.insert(ready('b', T0 + 1, closing));
      const seen = [
        { id: 'a', cancelling: false, deadlineAt: T0 + 500 },
        { id: 'b', cancelling: false, deadlineAt: T0 + 500 },
      ];
      const due = await runs.due(T0 + 1, 9);
      expect(due).toMatchObject(seen);
      await runs.park(due, T0 + 1);
      for (const id of ['a', 'b']) expect(await runs.load(id)).toMatchObject({ parked: true, wakeAt: T0 + 500 });
      expect(await runs.parkedOf('tenant', 9)).toMatchObject(seen);
      const cancelled = await runs.addMessage('b', mail(CANCEL, { name: CANCEL }), T0 + 2);
      expect(cancelled).toMatchObject({ kind: 'posted', due: { id: 'b', cancelling: false, deadlineAt: T0 + 500 } });
    });

    it('that another host has claimed meanwhile keep their owner', async () => {
      await runs.insert(ready('a'));
      const due = await runs.due(T0, 9);
      await runs.claim('h1', due);
      await runs.park(due, T0);
      expect(await runs.load('a')).toMatchObject({ owner: 'h1', parked: false });
      await runs.park([], T0);
    });
  });

  describe('slot pools', () => {
    it('are written only with the latest revision', async () => {
      expect(await slots.pool('t')).toEqual({ rev: 0, allocations: [] });
      const shares = [{ host: 'h1', n: 3 }];
      expect(await slots.compareAndSet('t', 0, shares)).toBe(true);
      expect(await slots.compareAndSet('t', 0, [])).toBe(false);
      expect(await slots.pool('t')).toEqual({ rev: 1, allocations: shares });
      expect(await slots.compareAndSet('t', 1, [...shares, { host: 'h2', n: 1 }])).toBe(true);
      expect(await slots.compareAndSet('t', 1, [])).toBe(false);
      expect((await slots.pool('t')).allocations).toHaveLength(2);
    });

    it('lose the allocations of hosts that died or left, and reject a late write', async () => {
      await hosts.register({ id: 'h1', nodeId: 'n', version: 'v', capacity: 1 }, 1);
      await slots.compareAndSet('t', 0, [
        { host: 'h1', n: 3 },
        { host: 'h2', n: 2 },
      ]);
      await slots.compareAndSet('u', 0, [{ host: 'h3', n: 3 }]);
      await subject.lapse(1);
      await hosts.expireHosts('h2', T0, false);
      expect(await slots.pool('t')).toEqual({ rev: 2, allocations: [{ host: 'h2', n: 2 }] });
      expect(await slots.compareAndSet('t', 1, [{ host: 'h1', n: 4 }])).toBe(false);
      // A late host that finds nothing changed is removed at the next sweep.
      await slots.compareAndSet('t', 2, [{ host: 'h1', n: 4 }]);
      await hosts.expireHosts('h2', T0, false);
      expect((await slots.pool('t')).allocations).toEqual([]);
      await hosts.leave('h3', T0);
      expect((await slots.pool('u')).allocations).toEqual([]);
    });
  });

  describe('owned and nextWake', () => {
    it('return what a host owns, and when the next run is due', async () => {
      expect(await runs.nextWake(T0)).toBeNull();
      await runs.insert(execution('a', { messageSeq: 2, epoch: 3 }));
      await runs.insert(execution('b', { owner: 'h2' }));
      await runs.insert(ready('c', T0 + 5));
      await runs.insert(ready('d', T0 + 3));
      expect(await runs.owned('h1')).toEqual([{ id: 'a', epoch: 3, messageSeq: 2 }]);
      expect(await runs.owned('h9')).toEqual([]);
      expect(await runs.nextWake(T0)).toBe(T0 + 3);
      await runs.end(claimOf('a', 'h1', 3), ending(), null);
      expect(await runs.owned('h1')).toEqual([]);
    });
  });

  describe('hosts', () => {
    const host = (id: string) => ({ id, nodeId: 'n', version: 'v', capacity: 10 });

    it('live as long as they renew, and the dead stay dead', async () => {
      await hosts.register(host('h1'), 60_000);
      await hosts.register(host('h2'), 60_000);
      expect(await hosts.renew('h1', 1, figures())).toBe(true);
      await subject.lapse(1);
      await runs.insert(execution('a'));
      await runs.insert(execution('b', { owner: 'h2' }));
      await runs.insert(execution('done', { status: 'completed' }));
      expect(await hosts.expireHosts('h2', T0 + 1, false)).toMatchObject({ runs: 1 });
      expect(await hosts.renew('h1', 60_000, figures())).toBe(false);
      expect(await hosts.renew('h2', 60_000, figures())).toBe(true);
      expect(await hosts.renew('h9', 60_000, figures())).toBe(false);
      expect(await runs.load('a')).toMatchObject({ owner: null, wakeAt: T0 + 1, epoch: 1 });
      expect(await runs.load('b')).toMatchObject({ owner: 'h2' });
    });

    it('that claimed in the moment of their death give that back too, at the next sweep', async () => {
      await hosts.register(host('h1'), 1);
      await subject.lapse(1);
      await hosts.expireHosts('h2', T0, false);
      await runs.insert(execution('late'));
      expect(await hosts.expireHosts('h2', T0, false)).toMatchObject({ runs: 1 });
      expect(await hosts.expireHosts('h2', T0, false)).toMatchObject({ runs: 0 });
    });

    it('are all taken for dead by one who knows that he is alone', async () => {
      await hosts.register(host('old'), 60_000);
      await hosts.register(host('new'), 60_000);
      await runs.insert(execution('a', { owner: 'old' }));
      await runs.insert(execution('b', { owner: 'new' }));
      expect(await hosts.expireHosts('new', T0, true)).toMatchObject({ runs: 1 });
      expect(await hosts.renew('new', 60_000, figures())).toBe(true);
      expect((await runs.owned('new')).map(({ id }) => id)).toEqual(['b']);
    });

    it('that are unknown are not taken for dead: one may be about to register', async () => {
      await hosts.register(host('h1'), 60_000);
      await runs.insert(execution('a', { owner: 'unknown' }));
      expect(await hosts.expireHosts('h1', T0, false)).toMatchObject({ runs: 0 });
    });

    it('that leave release their runs and slots', async () => {
      await hosts.register(host('h1'), 60_000);
      await runs.insert(execution('a'));
      await runs.insert(execution('b', { owner: 'h2' }));
      await hosts.leave('h1', T0 + 3);
      expect(await runs.load('a')).toMatchObject({ owner: null, wakeAt: T0 + 3 });
      expect(await runs.owned('h2')).toHaveLength(1);
      expect(await hosts.renew('h1', 60_000, figures())).toBe(false);
      await runs.insert(execution('late'));
      expect(await hosts.expireHosts('h2', T0, false)).toMatchObject({ runs: 1 });
    });

    it('report the live hosts, and when the first lease expires', async () => {
      await hosts.register(host('h2'), 60_000);
      expect(await hosts.expireHosts('h2', T0, false)).toEqual({ runs: 0, alive: ['h2'], lapsesInMs: null });
      await hosts.register(host('h1'), 30_000);
      await hosts.register(host('h3'), 50_000);
      await hosts.renew('h3', 10_000, figures({ draining: true }));
      const { alive, lapsesInMs } = await hosts.expireHosts('h2', T0, false);
      expect(alive).toEqual(['h1', 'h2']);
      expect(lapsesInMs).toBeGreaterThan(5_000);
      expect(lapsesInMs).toBeLessThanOrEqual(10_000);
    });

    it('are listed with their last metrics and their state', async () => {
      await hosts.register(host('h1'), 1);
      await subject.lapse(1);
      await hosts.register(host('h2'), 60_000);
      await hosts.renew('h2', 60_000, figures({ running: 3, waiting: 2, lagMs: 7 }));
      await hosts.register(host('h3'), 60_000);
      await hosts.renew('h3', 60_000, figures({ draining: true }));
      await hosts.register(host('h4'), 60_000);
      await hosts.leave('h4', T0);
      const rows = (await hosts.rows()).sort((a, b) => (a.id < b.id ? -1 : 1));
      expect(rows.map(({ id, state }) => [id, state])).toEqual([
        ['h1', 'dead'],
        ['h2', 'alive'],
        ['h3', 'draining'],
        ['h4', 'left'],
      ]);
      expect(rows[1]).toMatchObject({ nodeId: 'n', version: 'v', capacity: 10, running: 3, waiting: 2, lagMs: 7 });
      expect((rows[1]?.leaseUntil ?? 0) - (rows[1]?.startedAt ?? 0)).toBeGreaterThanOrEqual(60_000);
    });

    it('may register again, as after an answer that was lost', async () => {
      await hosts.register(host('h1'), 60_000);
      await hosts.register(host('h1'), 60_000);
      expect(await hosts.renew('h1', 60_000, figures())).toBe(true);
    });
  });
});
