import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Clock } from '../../../lib/clock';
import { nullOnDuplicate } from '../../../lib/duplicate-key';
import { type IndexKey, textOf } from '../../../lib/search';
import type { Namespace, Position } from '../../../lib/search/contract';
import { DURABLE } from '../../../lib/write-concern';

/** Listed changes per index. An index that is further behind is compared with its source. */
const MAX_LISTED = 200;

interface LogRecord extends Position {
  /** Text of the key. */
  _id: string;
  tenant_id: string;
  base_id: string;
  kind: IndexKey['kind'];
  generation: number;
  /** Number of changes since the log was created. */
  seq: number;
  /** Document ids of the last changes, newest last. */
  documents: string[];
  changed_at: Date;
}

/**
 * Ordered log of the changed documents of each index. Each change is one atomic update, so a reader at sequence number n
 * has seen every change before it. The index files of all processes follow it.
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

  /** Records that the source of the index has durably changed for these documents. */
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
    // Of two concurrent first upserts MongoDB rejects one; the retry finds the log.
    if ((await nullOnDuplicate(write())) === null) await write();
  }

  /** Starts a new epoch: every process then compares its index file with the source. */
  async startEpoch(key: IndexKey): Promise<void> {
    const $set = { epoch: randomUUID(), changed_at: new Date(this.clock.now()) };
    await this.#logs.updateOne({ _id: textOf(key), tenant_id: key.tenantId }, { $set });
  }

  /** Null if the index has no log. */
  async position(key: IndexKey): Promise<Position | null> {
    const projection = { epoch: 1, seq: 1 };
    return this.#logs.findOne({ _id: textOf(key), tenant_id: key.tenantId }, { projection });
  }

  /** Documents changed since a position; null if the epoch differs or the log no longer lists the changes. */
  async changesSince(
    key: IndexKey,
    from: Position,
  ): Promise<{ readonly at: Position; readonly documents: string[] } | null> {
    const log = await this.#logs.findOne({ _id: textOf(key), tenant_id: key.tenantId });
    if (log === null || log.epoch !== from.epoch) return null;
    const count = log.seq - from.seq;
    if (count < 0 || count > log.documents.length) return null;
    const documents = count === 0 ? [] : [...new Set(log.documents.slice(-count))];
    return { at: { epoch: log.epoch, seq: log.seq }, documents };
  }

  /** Indexes changed at or after an instant, oldest change first. */
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
  async indexesOf({ tenantId, baseId }: Namespace, kind: IndexKey['kind']): Promise<IndexKey[]> {
    const found = await this.#logs.find({ tenant_id: tenantId, base_id: baseId, kind }).toArray();
    return found.map(({ generation }) => ({ tenantId, baseId, kind, generation }));
  }

  async remove(key: IndexKey): Promise<void> {
    await this.#logs.deleteOne({ _id: textOf(key), tenant_id: key.tenantId });
  }
}
