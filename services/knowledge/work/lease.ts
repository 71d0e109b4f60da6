import type { Model, QueryFilter, UpdateQuery } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { type Owned, ofTenant } from '../../../lib/tenant';
import type { Work } from '../models';

/** A lease that is not renewed for this long expires. */
export const LEASE_MS = 30_000;
const RENEW_MS = LEASE_MS / 3;

/** Another process holds the record, or requested other work on it, or it is gone: nothing more may be done under the lease. */
export class LeaseLost extends Error {
  constructor() {
    super('The record has been taken over, or changed by others, or is gone');
    this.name = 'LeaseLost';
  }
}

/** Fields that say which work there is to do. When another process changes one, the worker stops (see interrupt). */
export type Marks<T> = readonly (keyof T & string)[];

/**
 * A record that is this process's alone to work on. Every change names its owner, so that one who was taken for dead
 * changes nothing any more; and its marks, as they were. Each makes the lease last longer, and so does time.
 */
export class Lease<T extends Owned & Work> {
  readonly #abort = new AbortController();
  /** One change after the other, or the record would not be as it was after the last. */
  #last: Promise<unknown> = Promise.resolve();
  #cancel: () => void;
  #lost = false;

  constructor(
    private readonly model: Model<T>,
    /** As it was after the last change. */
    public record: T,
    private readonly clock: Clock,
    private readonly marks: Marks<T>,
  ) {
    this.#cancel = this.#renewLater();
  }

  /** Aborts when the lease is lost, or the work is to be given back. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether it was found that nothing more may be done. */
  get lost(): boolean {
    return this.#lost;
  }

  /** @throws LeaseLost */
  async write($set: UpdateQuery<T>['$set']): Promise<T> {
    return this.#change({ ...$set, due_at: this.#until() });
  }

  /** The last change: the record is free, and due again at an instant, or never. @throws LeaseLost */
  async end($set: UpdateQuery<T>['$set'], dueAt: Date | null): Promise<T> {
    this.drop();
    return this.#change({ ...$set, owner: null, due_at: dueAt });
  }

  /** No more is done under it; it is not given back. */
  drop(): void {
    this.#cancel();
    this.#abort.abort(new LeaseLost());
  }

  #change($set: object): Promise<T> {
    const change = this.#last.then(() => this.#changeNow($set));
    this.#last = change.catch(() => undefined);
    return change;
  }

  async #changeNow($set: object): Promise<T> {
    const changed = await ofTenant(this.model, this.record.tenant_id).update(this.#mine(), { $set });
    if (changed === null) {
      this.#lose();
      throw new LeaseLost();
    }
    this.record = changed;
    return changed;
  }

  #lose(): void {
    this.#lost = true;
    this.drop();
  }

  #mine(): QueryFilter<T> {
    const { record, marks } = this;
    const seen = Object.fromEntries(marks.map((mark) => [mark, record[mark]]));
    return { ...seen, _id: record._id, owner: record.owner };
  }

  #until(): Date {
    return new Date(this.clock.now() + LEASE_MS);
  }

  #renewLater(): () => void {
    return this.clock.after(RENEW_MS, () => {
      const renewal = this.#last.then(() => this.model.updateOne(this.#mine(), { $set: { due_at: this.#until() } }));
      this.#last = renewal.catch(() => undefined);
      void renewal.then(
        ({ matchedCount }) => {
          if (this.signal.aborted) return;
          if (matchedCount === 0) this.#lose();
          else this.#cancel = this.#renewLater();
        },
        // A database that is away for a moment; what is written meanwhile fails by itself.
        () => {
          if (!this.signal.aborted) this.#cancel = this.#renewLater();
        },
      );
    });
  }
}
