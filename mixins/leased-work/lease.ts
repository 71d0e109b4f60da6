import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { type Owned, ofTenant } from '../../lib/tenant';

/**
 * Lease of a record with background work. `due_at` is when the work is due or, while a worker holds the lease, when the
 * lease expires. Null if the record has no work.
 */
export interface LeaseFields {
  due_at: Date | null;
  /** Id of the claim that holds the lease; null for none. */
  owner: string | null;
  /** Claims since the work last made progress. */
  attempts: number;
}

export const LEASE_MS = 30_000;
const RENEW_MS = LEASE_MS / 3;

/** Another process has claimed, interrupted or removed the record. The holder must stop. */
export class LeaseLost extends Error {
  constructor() {
    super('The record was claimed, changed or removed by another process');
    this.name = 'LeaseLost';
  }
}

/** Fields that determine the work to do. When another process changes one, the worker stops (see interrupt). */
export type FenceFields<T> = readonly (keyof T & string)[];

/**
 * An exclusive lease on a record. Every write filters by the owner and the fence fields, so an expired holder cannot write.
 * Every write extends the lease, and so does a timer.
 */
export class Lease<T extends Owned & LeaseFields> {
  readonly #abort = new AbortController();
  /** Writes are serialized: each filters by the fence fields that the previous one returned. */
  #last: Promise<unknown> = Promise.resolve();
  #cancel: () => void;
  #isLost = false;

  constructor(
    private readonly model: Model<T>,
    /** As of the last write. */
    public record: T,
    private readonly clock: Clock,
    private readonly fence: FenceFields<T>,
    /** Called after each write. */
    private readonly onWritten: (record: T) => void = () => {},
  ) {
    this.#cancel = this.#renewLater();
  }

  /** Aborts when the lease is lost or abandoned. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** @throws LeaseLost */
  async write($set: UpdateQuery<T>['$set']): Promise<T> {
    return this.#enqueueUpdate({ ...$set, due_at: this.#expiry() });
  }

  /** The last write: clears the owner and sets when the record is due again, or null for never. @throws LeaseLost */
  async release($set: UpdateQuery<T>['$set'], dueAt: Date | null): Promise<T> {
    this.abandon();
    return this.#enqueueUpdate({ ...$set, owner: null, due_at: dueAt });
  }

  /** Stops renewing and aborts the signal, without a write. */
  abandon(): void {
    this.#cancel();
    this.#abort.abort(new LeaseLost());
  }

  #enqueueUpdate($set: object): Promise<T> {
    const change = this.#last.then(() => this.#update($set));
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #update($set: object): Promise<T> {
    const changed = await ofTenant(this.model, this.record.tenant_id).update(this.#ownedFilter(), { $set });
    if (changed === null) {
      this.#lose();
      throw new LeaseLost();
    }
    this.record = changed;
    this.onWritten(changed);
    return changed;
  }

  #lose(): void {
    this.#isLost = true;
    this.abandon();
  }

  #ownedFilter(): QueryFilter<T> {
    const { record, fence } = this;
    const seen = Object.fromEntries(fence.map((mark) => [mark, record[mark]]));
    return { ...seen, _id: record._id, owner: record.owner };
  }

  #expiry(): Date {
    return new Date(this.clock.now() + LEASE_MS);
  }

  #renewLater(): () => void {
    return this.clock.after(RENEW_MS, () => {
      const renewal = this.#last.then(() =>
        this.model.updateOne(this.#ownedFilter(), { $set: { due_at: this.#expiry() } }),
      );
      this.#last = renewal.catch(() => undefined);
      void renewal.then(
        ({ matchedCount }) => {
          if (this.signal.aborted) return;
          if (matchedCount === 0) this.#lose();
          else this.#cancel = this.#renewLater();
        },
        // The database may be unavailable for a moment: try again at the next interval.
        () => {
          if (!this.signal.aborted) this.#cancel = this.#renewLater();
        },
      );
    });
  }
}
