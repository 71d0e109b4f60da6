/**
 * The slots of tenants on one host. Owns: how many runs of a tenant may be in this host's memory. Does not own: what
 * happens to a run without a slot.
 *
 *  T1  The allocations of all hosts never exceed the limit under which they were made, and no host has more runs of a
 *      tenant in memory than allocated. So it uses only what the database has confirmed, and stops using slots before
 *      it releases them in the database.
 *  T2  A slot is released once, however often `release` is called.
 *  T3  Slots belong to a host id. A new id (see L2) starts without slots; the old allocations are removed with the old
 *      id.
 *  T4  Unused slots are released, and the pool of a tenant without runs has no allocations.
 *  T5  With a limit of 0, each settlement asks the host to release the runs of the tenant that are in memory.
 */
import type { Clock } from '../../lib/clock';
import type { SlotAllocation, SlotStore } from '../ports/slot-store';
import { allocate, toKeep, wantedFor } from './slot-allocation';
import { withTimeout } from '../../lib/with-timeout';

/** The right to have one run of a tenant in memory. */
export interface Slot {
  release(): void;
}

/** For a run that is loaded to be ended, and begins nothing. */
export const NO_SLOT: Slot = { release: () => {} };

/** Attempts to update a pool while other hosts are faster. */
const MAX_ATTEMPTS = 20;

interface SlotsDeps {
  readonly slots: SlotStore;
  readonly clock: Clock;
  /** Timeout of a request. */
  readonly timeoutMs: number;
  readonly limit: (tenantId: string) => Promise<number | null>;
  /** Whether that host may act. An allocation of an id that was never registered would never be removed. */
  readonly holds: (host: string) => boolean;
  /** A slot of this tenant can be taken again. */
  readonly onFree: (tenantId: string) => void;
  /** The limit is 0, and runs of this tenant are in memory. */
  readonly onClosed: (tenantId: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** A request for `n` slots, and those it has so far. */
interface PendingRequest {
  readonly n: number;
  readonly taken: Slot[];
  readonly resolve: (slots: Slot[]) => void;
  readonly reject: (fault: unknown) => void;
}

/** One tenant on this host. */
interface TenantSlots {
  readonly tenantId: string;
  readonly host: string;
  /** Null: none; undefined: not known yet. */
  limit: number | null | undefined;
  inUse: number;
  /** Maximum in use since the last settlement. */
  peak: number;
  /** How many may be in use. */
  usable: number;
  /** The allocation of this host; never less than in use or usable. */
  allocated: number;
  /** A write without an answer: it may still take effect, unless another one precedes it. */
  writeUnconfirmed: boolean;
  pending: PendingRequest[];
  /** A request for the pending ones is scheduled. */
  queued: boolean;
  /** The current request; one per tenant at a time. */
  busy: Promise<void> | null;
}

export class Slots {
  #tenants = new Map<string, TenantSlots>();
  #host: string;
  #settling = false;

  constructor(
    private readonly deps: SlotsDeps,
    host: string,
  ) {
    this.#host = host;
  }

  /** T3: slots of another id do not count any more. */
  moveTo(host: string): void {
    const left = this.#tenants;
    this.#tenants = new Map();
    this.#host = host;
    for (const { pending } of left.values())
      for (const { reject } of pending.splice(0)) reject(new Error('The host has lost its lease'));
  }

  /** Runs of a tenant in memory here. */
  inUse(tenantId: string): number {
    return this.#tenants.get(tenantId)?.inUse ?? 0;
  }

  hasFree(tenantId: string): boolean {
    const tenant = this.#tenants.get(tenantId);
    return tenant !== undefined && isFree(tenant);
  }

  /** A slot that is allocated already; null when the pool must be asked. */
  tryTake(tenantId: string): Slot | null {
    const tenant = this.#tenants.get(tenantId);
    return tenant === undefined || !isFree(tenant) ? null : this.#take(tenant);
  }

  /** Up to `n` slots, fewer when the tenant is at its limit. */
  take(tenantId: string, n: number): Promise<Slot[]> {
    const tenant = this.#tenantSlots(tenantId);
    const taken: Slot[] = [];
    while (taken.length < n && isFree(tenant)) taken.push(this.#take(tenant));
    if (taken.length === n) return Promise.resolve(taken);
    return new Promise<Slot[]>((resolve, reject) => {
      tenant.pending.push({ n, taken, resolve, reject });
      // One request serves all that are pending when it begins.
      if (tenant.queued) return;
      tenant.queued = true;
      this.#exclusively(tenant, () => this.#serveAll(tenant)).catch(this.deps.onFault);
    });
  }

  /** Releases unused slots, and reads changed limits. `spare`: some may be kept for the next runs. */
  async settle(spare: boolean): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    for (const tenant of [...this.#tenants.values()])
      await this.#exclusively(tenant, () => this.#settleOne(tenant, spare)).catch(this.deps.onFault);
    this.#settling = false;
  }

  #tenantSlots(tenantId: string): TenantSlots {
    const known = this.#tenants.get(tenantId);
    if (known !== undefined) return known;
    const host = this.#host;
    const counts = { inUse: 0, peak: 0, usable: 0, allocated: 0 };
    const tenant: TenantSlots = {
      tenantId,
      host,
      limit: undefined,
      ...counts,
      writeUnconfirmed: false,
      pending: [],
      queued: false,
      busy: null,
    };
    this.#tenants.set(tenantId, tenant);
    return tenant;
  }

  #take(tenant: TenantSlots): Slot {
    tenant.inUse += 1;
    tenant.peak = Math.max(tenant.peak, tenant.inUse);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        tenant.inUse -= 1;
        if (isFree(tenant)) this.deps.onFree(tenant.tenantId);
      },
    };
  }

  async #exclusively(tenant: TenantSlots, job: () => Promise<void>): Promise<void> {
    while (tenant.busy !== null) await tenant.busy;
    const working = job();
    tenant.busy = working.then(
      () => {},
      () => {},
    );
    try {
      await working;
    } finally {
      tenant.busy = null;
    }
  }

  /** Serves all queued requests in order with one pool update. */
  async #serveAll(tenant: TenantSlots): Promise<void> {
    tenant.queued = false;
    const requests = tenant.pending.splice(0);
    try {
      // The previous request may have left enough slots.
      this.#serve(tenant, requests, false);
      if (requests.length === 0) return;
      tenant.limit = await this.#withTimeout('limit', this.deps.limit(tenant.tenantId));
      const { limit, host } = tenant;
      if (limit !== null) {
        const more = requests.reduce((sum, { n, taken }) => sum + n - taken.length, 0);
        await this.#write(tenant, limit, (allocations) =>
          wantedFor(allocations, { host, inUse: tenant.inUse, more, limit }),
        );
      }
      if (host !== this.#host) throw new Error('The host has lost its lease');
      this.#serve(tenant, requests, true);
    } catch (fault) {
      for (const { taken, reject } of requests) {
        for (const slot of taken) slot.release();
        reject(fault);
      }
    }
  }

  /** Hands out free slots. `all`: requests without enough slots are resolved as well. */
  #serve(tenant: TenantSlots, requests: PendingRequest[], all: boolean): void {
    while (requests[0] !== undefined) {
      const { n, taken, resolve } = requests[0];
      while (taken.length < n && isFree(tenant)) taken.push(this.#take(tenant));
      if (taken.length < n && !all) return;
      requests.shift();
      resolve(taken);
    }
  }

  async #settleOne(tenant: TenantSlots, spare: boolean): Promise<void> {
    const { allocated, peak, inUse } = tenant;
    tenant.peak = inUse;
    const idle = inUse === 0 && peak === 0 && tenant.pending.length === 0;
    if (idle && allocated === 0 && !tenant.writeUnconfirmed) {
      if (this.#tenants.get(tenant.tenantId) === tenant) this.#tenants.delete(tenant.tenantId);
      return;
    }
    const before = tenant.limit;
    tenant.limit = await this.#withTimeout('limit', this.deps.limit(tenant.tenantId));
    const { limit } = tenant;
    if (limit === 0 && inUse > 0) this.deps.onClosed(tenant.tenantId);
    if (limit === null && allocated === 0 && !tenant.writeUnconfirmed) return;
    const keep = limit === null ? 0 : Math.max(inUse, spare ? toKeep(allocated, peak) : 0);
    const isSettled = allocated === keep && tenant.usable === allocated && !tenant.writeUnconfirmed;
    // A lower limit applies to all hosts together: only the pool shows what is left.
    if (!isSettled || isLower(limit, before)) await this.#write(tenant, limit, () => keep);
  }

  /**
   * Writes this host's allocation. T1: slots that become unusable are so before the write, those that become usable
   * only after it.
   */
  async #write(
    tenant: TenantSlots,
    limit: number | null,
    wanted: (allocations: readonly SlotAllocation[]) => number,
  ): Promise<void> {
    const { tenantId, host } = tenant;
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++) {
      const pool = await this.#withTimeout('slot pool', this.deps.slots.pool(tenantId));
      const known = pool.allocations.find((allocation) => allocation.host === host)?.n ?? 0;
      // Without a limit nothing is allocated.
      const request = { host, inUse: limit === null ? 0 : tenant.inUse, limit: limit ?? 0 };
      const next = allocate(pool.allocations, { ...request, wanted: wanted(pool.allocations) });
      const allocation = next.allocations.find((other) => other.host === host)?.n ?? 0;
      tenant.usable = Math.min(tenant.usable, next.usable);
      if (allocation !== known || tenant.writeUnconfirmed) {
        if (!this.deps.holds(host)) throw new Error('The host has lost its lease');
        tenant.writeUnconfirmed = true;
        if (
          !(await this.#withTimeout(
            'slot pool update',
            this.deps.slots.compareAndSet(tenantId, pool.rev, next.allocations),
          ))
        )
          continue;
        tenant.writeUnconfirmed = false;
      }
      tenant.allocated = allocation;
      tenant.usable = next.usable;
      return;
    }
  }

  #withTimeout<T>(what: string, answer: Promise<T>): Promise<T> {
    return withTimeout(this.deps.clock, this.deps.timeoutMs, what, answer);
  }
}

const isFree = ({ limit, inUse, usable }: TenantSlots): boolean =>
  limit === null || (limit !== undefined && inUse < usable);

const isLower = (limit: number | null, before: number | null | undefined): boolean =>
  limit !== null && (before === null || (before !== undefined && limit < before));
