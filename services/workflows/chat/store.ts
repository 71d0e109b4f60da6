import type { Model, QueryFilter } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { ReadThrough } from '../../../lib/read-through';
import type { AuditTarget, Recorded } from '../../../mixins/audit';
import { CACHE_MAX_AGE_MS } from '../../../mixins/invalidation';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { ChatRecord } from './model';

const MAX_CHATS = 20;
const CACHED = 10_000;

type NewChat = Omit<ChatRecord, '_id' | 'tenant_id' | 'created_at'>;

/** The fields of a chat that may be changed. */
export type ChatChange = Pick<
  ChatRecord,
  'title' | 'greeting' | 'input_field' | 'output_field' | 'allowed_origins' | 'rate_limit'
>;

/** Chats of workflows. */
export class ChatStore {
  readonly #known: ReadThrough<ChatRecord | null>;

  constructor(
    private readonly model: Model<ChatRecord>,
    private readonly clock: Clock,
    /** Called after every change, before it is answered. */
    private readonly changed: (slug: string) => Promise<void>,
  ) {
    this.#known = new ReadThrough({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => clock.now() });
  }

  /** What is at a slug, whosever it is: visitors know nothing else. */
  at(slug: string): Promise<ChatRecord | null> {
    return this.#known.get(slug, () => this.model.findOne({ slug }).lean<ChatRecord>().exec());
  }

  forget(slug: string): void {
    this.#known.delete(slug);
  }

  /** Of one workflow, oldest first; all of them without a range. */
  list(tenantId: string, workflowId: string, range: { limit?: number; skip?: number } = {}): Promise<ChatRecord[]> {
    return this.#of(tenantId).find({ workflow_id: workflowId }, { sort: { created_at: 1, _id: 1 }, ...range });
  }

  /** Of all workflows, newest first. */
  all(
    tenantId: string,
    page: { limit: number; offset: number },
    visible: QueryFilter<ChatRecord>,
  ): Promise<ChatRecord[]> {
    return this.#of(tenantId).find(visible, { sort: { created_at: -1, _id: 1 }, ...page });
  }

  /** @throws AppError slug_taken; conflict when the workflow has too many */
  async create(tenantId: string, chat: NewChat, recorded: Recorded): Promise<ChatRecord> {
    // Creates at the same time may go over the limit together, which does no harm.
    if ((await this.#of(tenantId).count({ workflow_id: chat.workflow_id })) >= MAX_CHATS)
      throw new AppError('conflict', `The workflow has ${MAX_CHATS} chats, which is the most; remove one first`);
    const taken = (): AppError =>
      new AppError('slug_taken', `There is a chat "${chat.slug}" in this installation; choose another slug`);
    if ((await this.model.exists({ slug: chat.slug }).exec()) !== null) throw taken();
    const record = { ...chat, _id: randomId(), created_at: new Date(this.clock.now()) };
    const { slug } = chat;
    const change = { action: 'chat.create', target: targetOf(record), after: shown(record) };
    const stored = await recorded(change, () =>
      this.#of(tenantId)
        .insert(record)
        .catch((error: unknown) => {
          throw isDuplicateKey(error) ? taken() : error;
        }),
    );
    await this.#notify(slug);
    return stored;
  }

  /** Changes a chat by what `decide` makes of it. @throws AppError not_found */
  async update(
    tenantId: string,
    workflowId: string,
    slug: string,
    decide: (found: ChatRecord) => ChatChange,
    recorded: Recorded,
  ): Promise<ChatRecord> {
    const found = await this.#find(tenantId, workflowId, slug);
    const changed = decide(found);
    const change = {
      action: 'chat.update',
      target: targetOf(found),
      before: shown(found),
      after: shown({ ...found, ...changed }),
    };
    const stored = await recorded(change, () => this.#of(tenantId).update({ _id: found._id }, { $set: changed }));
    if (stored === null) throw noChat(slug);
    await this.#notify(slug);
    return stored;
  }

  /** @throws AppError not_found */
  async remove(tenantId: string, workflowId: string, slug: string, recorded: Recorded): Promise<void> {
    const record = await this.#find(tenantId, workflowId, slug);
    const change = { action: 'chat.delete', target: targetOf(record), before: { workflow_id: workflowId } };
    await recorded(change, () => this.#of(tenantId).remove({ _id: record._id }));
    await this.#notify(slug);
  }

  /** With their workflow, whose removal is on record. */
  async removeAll(tenantId: string, workflowId: string): Promise<void> {
    const chats = await this.list(tenantId, workflowId);
    if (chats.length === 0) return;
    await this.#of(tenantId).remove({ workflow_id: workflowId });
    for (const { slug } of chats) await this.#notify(slug);
  }

  /** @throws AppError not_found */
  async #find(tenantId: string, workflowId: string, slug: string): Promise<ChatRecord> {
    const record = await this.#of(tenantId).findOne({ workflow_id: workflowId, slug });
    if (record === null) throw noChat(slug);
    return record;
  }

  #notify(slug: string): Promise<void> {
    this.forget(slug);
    return this.changed(slug);
  }

  #of(tenantId: string): TenantScope<ChatRecord> {
    return ofTenant(this.model, tenantId);
  }
}

const targetOf = ({ _id, slug }: Pick<ChatRecord, '_id' | 'slug'>): AuditTarget => ({
  type: 'chat_deployment',
  id: _id,
  name: slug,
});

/** What the audit log has of a chat. */
const shown = ({ slug, workflow_id, title, allowed_origins }: NewChat) => ({
  slug,
  workflow_id,
  title,
  allowed_origins: [...allowed_origins],
});

const noChat = (slug: string): AppError => new AppError('not_found', `This workflow has no chat ${slug}`);
