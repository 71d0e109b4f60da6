import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { ofTenant } from '../../../mixins/tenant';
import { remembered } from './history';
import type { ConversationRecord, Turn } from './model';

const LIFETIME_MS = 30 * 86_400_000;

/** Whose conversations: those of one chat of a tenant. */
export interface Chat {
  readonly id: string;
  readonly workflow: { readonly id: string; readonly tenant_id: string };
}

/** A message that wants its turn. */
export interface Claim {
  readonly said: string;
  readonly executionId: string;
}

/**
 * Conversations of visitors. One message has its turn at a time: who writes `pending` first, by one write, has it, and
 * whoever finds its run at an end takes it off again. It may be anybody: the one who waited may have gone.
 */
export class Conversations {
  constructor(
    private readonly model: Model<ConversationRecord>,
    private readonly clock: Clock,
  ) {}

  /** Null for one that is not of this chat, or was forgotten. */
  async find(chat: Chat, id: string): Promise<ConversationRecord | null> {
    const found = await this.#of(chat).findOne({ _id: id, deployment_id: chat.id });
    // The server removes what is too old by its own clock, now and then.
    return found === null || found.expires_at.getTime() <= this.clock.now() ? null : found;
  }

  /** Begins one with its first message, in the place of one that is forgotten; null when somebody was faster. */
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
      const forgotten = { _id: id, deployment_id: chat.id, expires_at: { $lte: new Date(this.clock.now()) } };
      return this.#of(chat).update(forgotten, { $set: { ...this.#pending(claim), turns: [] } });
    }
  }

  /** Gives a message its turn; null when another one has it. */
  claim(chat: Chat, id: string, claim: Claim): Promise<ConversationRecord | null> {
    return this.#of(chat).update({ _id: id, deployment_id: chat.id, pending: null }, { $set: this.#pending(claim) });
  }

  /** Ends the turn of a message; with the reply, if there is one, it is remembered. Repeating it changes nothing. */
  async end(chat: Chat, { _id, turns }: ConversationRecord, executionId: string, turn: Turn | null): Promise<void> {
    // Nobody else writes turns while this one is pending, so what was read is what is there.
    const change = { pending: null, ...(turn === null ? {} : { turns: remembered(turns, turn) }) };
    await this.#of(chat).update({ _id, 'pending.execution_id': executionId }, { $set: change });
  }

  /** Forgets all of a workflow. */
  async purge(tenantId: string, workflowId: string): Promise<void> {
    await ofTenant(this.model, tenantId).remove({ workflow_id: workflowId });
  }

  #pending({ said, executionId }: Claim): Pick<ConversationRecord, 'pending' | 'expires_at'> {
    const now = this.clock.now();
    return {
      pending: { said, execution_id: executionId, since: new Date(now) },
      expires_at: new Date(now + LIFETIME_MS),
    };
  }

  #of({ workflow }: Chat) {
    return ofTenant(this.model, workflow.tenant_id);
  }
}
