import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { ofTenant } from '../../../lib/tenant';
import { appendTurn } from './history';
import type { ConversationRecord, Turn } from './model';

const LIFETIME_MS = 30 * 86_400_000;

/** A chat of a tenant, which owns its conversations. */
interface Chat {
  readonly id: string;
  readonly workflow: { readonly id: string; readonly tenant_id: string };
}

/** A message that claims the turn of its conversation. */
interface Claim {
  readonly text: string;
  readonly executionId: string;
}

/**
 * Conversations of visitors. One message at a time is pending: a conditional write of `pending` claims the turn. Any request
 * that finds the run ended clears it, because the request that waited may have been aborted.
 */
export class Conversations {
  constructor(
    private readonly model: Model<ConversationRecord>,
    private readonly clock: Clock,
  ) {}

  /** Null for a conversation of another chat, and for an expired one. */
  async find(chat: Chat, id: string): Promise<ConversationRecord | null> {
    const found = await this.#of(chat).findOne({ _id: id, deployment_id: chat.id });
    // The TTL index of the database removes expired documents with a delay.
    return found === null || found.expires_at.getTime() <= this.clock.now() ? null : found;
  }

  /** Creates a conversation with its first message, or replaces an expired one; null when a concurrent request did so. */
  async open(chat: Chat, id: string, claim: Claim): Promise<ConversationRecord | null> {
    try {
      return await this.#of(chat).insert({
        _id: id,
        deployment_id: chat.id,
        workflow_id: chat.workflow.id,
        turns: [],
        ...this.#pending(claim),
      });
    } catch (fault) {
      if (!isDuplicateKey(fault)) throw fault;
      const expired = { _id: id, deployment_id: chat.id, expires_at: { $lte: new Date(this.clock.now()) } };
      return this.#of(chat).update(expired, { $set: { ...this.#pending(claim), turns: [] } });
    }
  }

  /** Claims the turn for a message; null when another message is pending. */
  claim(chat: Chat, id: string, claim: Claim): Promise<ConversationRecord | null> {
    return this.#of(chat).update({ _id: id, deployment_id: chat.id, pending: null }, { $set: this.#pending(claim) });
  }

  /** Ends the turn of a message and stores its reply, if any. Idempotent. */
  async end(chat: Chat, { _id, turns }: ConversationRecord, executionId: string, turn: Turn | null): Promise<void> {
    // Only the pending message changes `turns`, so the turns that were read are current.
    const change = { pending: null, ...(turn === null ? {} : { turns: appendTurn(turns, turn) }) };
    await this.#of(chat).update({ _id, 'pending.execution_id': executionId }, { $set: change });
  }

  /** Removes all conversations of a workflow. */
  async purge(tenantId: string, workflowId: string): Promise<void> {
    await ofTenant(this.model, tenantId).remove({ workflow_id: workflowId });
  }

  #pending({ text, executionId }: Claim): Pick<ConversationRecord, 'pending' | 'expires_at'> {
    const now = this.clock.now();
    return {
      pending: { said: text, execution_id: executionId, since: new Date(now) },
      expires_at: new Date(now + LIFETIME_MS),
    };
  }

  #of({ workflow }: Chat) {
    return ofTenant(this.model, workflow.tenant_id);
  }
}
