import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { nullOnDuplicate } from '../../../lib/duplicate-key';
import { type IndexKey, textOf } from '../../../lib/search';
import type { Namespace, Position } from '../../../lib/search/contract';
import { DURABLE } from '../../../lib/write-concern';

/** Older changes are not listed: an index that lacks more is compared with its source. */
const MAX_LISTED = 200;

interface LogRecord extends Position {
  /** Text of the key. */
  _id: string;
  tenant_id: string;
  base_id: string;
  kind: IndexKey['kind'];
  generation: number;
  /** Number of all changes since the log was made. */
  seq: number;
  /** Documents of the last changes, the newest last. */
  documents: string[];
  changed_at: Date;
}

/**
 * Which documents of an index have changed, in the order of the changes: by one atomic update for each change, so a
 * reader that has seen number n has seen all before it. Index files of all processes follow it.
 */
export class ChangeLog {
  readonly #logs: Collection<LogRecord>;

  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    this.#logs = db.collection('knowledge_changes', DURABLE);
  }

  async createIndexes(): Promise<void> {
    await Promise.all([
      this.#logs.createIndex({ changed_at: 1 }),
      this.#logs.createIndex({ tenant_id: 1, base_id: 1, kind: 1, generation: 1 }),
    ]);
  }

  /** The source of the index has changed for these documents, durably. */
  async append(key: IndexKey, documents: readonly string[]): Promise<void> {
    const { tenantId: tenant_id, baseId: base_id, kind, generation } = key;
    const owned = { tenant_id, base_id, kind, generation, epoch: randomUUID() };
    const write = () =>
      this.#logs.updateOne(
        { _id: textOf(key), tenant_id },
        {
          $inc: { seq: documents.length },
          $push: { documents: { $each: [...documents], $slice: -MAX_LISTED } },
          $set: { changed_at: new Date(this.clock.now()) },
          $setOnInsert: owned,
        },
        { upsert: true },
      );
    // MongoDB refuses one of two first upserts at the same time; the log exists for the second try.
    if ((await nullOnDuplicate(write())) === null) await write();
  }

  /** Every process compares the index with its source. */
  async renew(key: IndexKey): Promise<void> {
    const $set = { epoch: randomUUID(), changed_at: new Date(this.clock.now()) };
    await this.#logs.updateOne({ _id: textOf(key), tenant_id: key.tenantId }, { $set });
  }

  /** Null where nothing was ever written. */
  async position(key: IndexKey): Promise<Position | null> {
    const projection = { epoch: 1, seq: 1 };
    return this.#logs.findOne({ _id: textOf(key), tenant_id: key.tenantId }, { projection });
  }

  /** Documents that have changed since a position of the same epoch; null where they are not listed any more. */
  async since(key: IndexKey, from: Position): Promise<{ readonly at: Position; readonly documents: string[] } | null> {
    const log = await this.#logs.findOne({ _id: textOf(key), tenant_id: key.tenantId });
    if (log === null || log.epoch !== from.epoch) return null;
    const count = log.seq - from.seq;
    if (count < 0 || count > log.documents.length) return null;
    const documents = count === 0 ? [] : [...new Set(log.documents.slice(-count))];
    return { at: { epoch: log.epoch, seq: log.seq }, documents };
  }

  /** Indexes that have changed at or after an instant, the oldest change first. */
  async changedSince(instant: Date): Promise<IndexKey[]> {
    const found = await this.#logs
      .find({ changed_at: { $gte: instant } }, { projection: { documents: 0 } })
      .sort({ changed_at: 1 })
      .toArray();
    return found.map(({ tenant_id: tenantId, base_id: baseId, kind, generation }) => ({
      tenantId,
      baseId,
      kind,
      generation,
    }));
  }

  /** Indexes of a base. */
  async keysOf({ tenantId, baseId }: Namespace, kind: IndexKey['kind']): Promise<IndexKey[]> {
    const found = await this.#logs.find({ tenant_id: tenantId, base_id: baseId, kind }).toArray();
    return found.map(({ generation }) => ({ tenantId, baseId, kind, generation }));
  }

  async remove(key: IndexKey): Promise<void> {
    await this.#logs.deleteOne({ _id: textOf(key), tenant_id: key.tenantId });
  }
}
