import type { Collection, Filter } from 'mongodb';
import { AppError } from '../../lib/errors';
import type { DecisionRow } from '../../contracts/executions/decision-row';
import type { App } from '../app';

interface DecisionDocument {
  _id: string;
  tenant_id: string;
  execution_id: string;
  workflow_id: string;
  workflow_name: string;
  address: string;
  message: string;
  approved: boolean;
  comment: string | null;
  by: string | null;
  at: Date;
}

/** A decision to be kept; `name` is that of its question, which is decided once. */
type Decision = Omit<DecisionDocument, '_id' | 'at'> & { readonly name: string };

interface Page {
  readonly limit: number;
  readonly cursor?: string;
  /** The e-mail address of the one who decided; absent: anyone. */
  readonly by?: string;
  /** Leaves out what the caller may not see. */
  readonly visible: Filter<DecisionDocument>;
}

const MAX_MESSAGE_CHARS = 500;
const MAX_COMMENT_CHARS = 2_000;
/** Time of a decision, and its id. */
const CURSOR = /^(\d{1,15})_([\w-]{1,500})$/;

/** Decided approvals of tenants, newest first. They are removed with their runs. */
export class Decisions {
  readonly #collection: Collection<DecisionDocument>;

  constructor(private readonly app: App) {
    this.#collection = app.db.collection('approval_decisions') as unknown as Collection<DecisionDocument>;
  }

  async createIndexes(): Promise<void> {
    await this.#collection.createIndex({ tenant_id: 1, at: -1, _id: -1 }, { name: 'by_tenant_newest' });
    await this.#collection.createIndex({ tenant_id: 1, by: 1, at: -1, _id: -1 }, { name: 'by_person_newest' });
  }

  /** Keeps a decision that is durable; repeating it changes nothing. */
  async put({ name, message, comment, ...decision }: Decision): Promise<void> {
    const document = {
      ...decision,
      message: message.slice(0, MAX_MESSAGE_CHARS),
      comment: comment === null ? null : comment.slice(0, MAX_COMMENT_CHARS),
      at: new Date(this.app.clock.now()),
    };
    const _id = `${decision.execution_id}:${name}`;
    await this.#collection.updateOne({ _id }, { $setOnInsert: document }, { upsert: true });
  }

  /** @throws AppError invalid_request */
  async page(
    tenantId: string,
    { limit, cursor, by, visible }: Page,
  ): Promise<{ data: DecisionRow[]; next: string | null }> {
    const filter: Filter<DecisionDocument> = {
      tenant_id: tenantId,
      ...(by === undefined ? {} : { by }),
      ...(cursor === undefined ? {} : after(cursor)),
    };
    const documents = await this.#collection
      .find({ $and: [filter, visible] })
      .sort({ at: -1, _id: -1 })
      .limit(limit + 1)
      .toArray();
    const rows = documents.slice(0, limit);
    const last = rows.at(-1);
    const next = last !== undefined && documents.length > limit ? cursorOf(last) : null;
    return { data: rows.map(({ _id, tenant_id: _, at, ...row }) => ({ ...row, at: at.toISOString() })), next };
  }

  async remove(tenantId: string, executionIds: readonly string[]): Promise<void> {
    for (const id of executionIds)
      await this.#collection.deleteMany({ _id: { $gte: `${id}:`, $lt: `${id};` }, tenant_id: tenantId });
  }
}

const cursorOf = ({ at, _id }: Pick<DecisionDocument, 'at' | '_id'>): string =>
  `${at.getTime()}_${Buffer.from(_id).toString('base64url')}`;

function after(cursor: string): Filter<DecisionDocument> {
  const [, time, id] = CURSOR.exec(cursor) ?? [];
  if (time === undefined || id === undefined)
    throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer');
  const at = new Date(Number(time));
  return { at: { $lte: at }, $or: [{ at: { $lt: at } }, { _id: { $lt: Buffer.from(id, 'base64url').toString() } }] };
}
