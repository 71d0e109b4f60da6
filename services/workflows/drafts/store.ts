import type { Model } from 'mongoose';
import { nullOnDuplicate } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { type TenantScope, ofTenant } from '../../../lib/tenant';
import type { DraftRecord } from './model';

/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

/** What a change of a draft sets. */
export type NewDraft = Omit<DraftRecord, '_id' | 'tenant_id' | 'pending'>;

/** Drafts of workflows, one of each at most. */
export class DraftStore {
  constructor(private readonly model: Model<DraftRecord>) {}

  /** Null when the workflow has none. */
  find(tenantId: string, workflowId: string): Promise<DraftRecord | null> {
    return this.#of(tenantId).findOne({ _id: workflowId });
  }

  /**
   * Puts what `decide` makes of the draft as it stands in its place. The write names what was seen, so that changes at
   * the same time are put in order. @throws AppError conflict, and what `decide` throws
   */
  async put(
    tenantId: string,
    workflowId: string,
    decide: (found: DraftRecord | null) => NewDraft,
  ): Promise<DraftRecord> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.find(tenantId, workflowId);
      const draft = decide(found);
      const saved =
        found === null
          ? await nullOnDuplicate(this.#of(tenantId).insert({ _id: workflowId, ...draft }))
          : await this.#of(tenantId).update(seen(found), { $set: draft });
      if (saved !== null) return saved;
    }
    throw new AppError('conflict', 'Too many changes of this draft at the same time; try again');
  }

  /** Stores the draft of a workflow that is about to be created. */
  async putPending(tenantId: string, workflowId: string, draft: NewDraft): Promise<void> {
    await this.#of(tenantId).insert({ _id: workflowId, ...draft, pending: true });
  }

  /** The workflow of a pending draft exists. */
  async confirm(tenantId: string, workflowId: string): Promise<void> {
    await this.#of(tenantId).update({ _id: workflowId, pending: true }, { $unset: { pending: 1 } });
  }

  /** Removes a draft unless it has changed since it was read. True when it is gone. */
  async remove(tenantId: string, found: DraftRecord): Promise<boolean> {
    return (await this.#of(tenantId).remove(seen(found))) > 0;
  }

  async removeAll(tenantId: string, workflowId: string): Promise<void> {
    await this.#of(tenantId).remove({ _id: workflowId });
  }

  #of(tenantId: string): TenantScope<DraftRecord> {
    return ofTenant(this.model, tenantId);
  }
}

const seen = ({ _id, dsl_hash, base_hash }: DraftRecord) => ({ _id, dsl_hash, base_hash });
