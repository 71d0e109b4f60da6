import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { WorkflowModels } from './models';

/**
 * Counts active workflows against the limit of a plan, for creates that race on any number of hosts.
 *
 * The decision is one document write: the record of a tenant takes a token only below the limit. Token first, workflow
 * record (which names its token as `slot`) second, so between the two a crash leaves a token that no record names. It
 * takes up room until a claim is refused; the refused claim drops such tokens, once they are older than any request
 * can last, and tries again. Never the other way round: a record without its token would let the tenant go over.
 *
 * A plan without a limit has no counter. The first claim under a limit builds it from the records; creates that are
 * under way at that very moment of a plan change are not seen by it.
 */
export class SlotCounter {
  constructor(
    private readonly models: Pick<WorkflowModels, 'ledgers' | 'workflows'>,
    private readonly clock: Clock,
    /** No request is under way for longer. */
    private readonly longestRequestMs: number,
  ) {}

  /** Takes the token in; false when the tenant is at its limit. A token that is in already stays. */
  async claim(tenantId: string, limit: number | null, token: string): Promise<boolean> {
    if (limit === null) {
      await this.models.ledgers.deleteOne({ _id: tenantId }).exec();
      return true;
    }
    if (limit < 1) return false;
    if (await this.#take(tenantId, limit, token)) return true;
    await this.#reconcile(tenantId);
    return this.#take(tenantId, limit, token);
  }

  /** Gives a token back. Repeating it is harmless. */
  async release(tenantId: string, token: string): Promise<void> {
    await this.models.ledgers.updateOne({ _id: tenantId }, { $pull: { slots: { token } } }).exec();
  }

  async #take(tenantId: string, limit: number, token: string): Promise<boolean> {
    const at = new Date(this.clock.now());
    const room = { _id: tenantId, [`slots.${limit - 1}`]: { $exists: false }, 'slots.token': { $ne: token } };
    const taken = await this.models.ledgers.updateOne(room, { $push: { slots: { token, at } } }).exec();
    if (taken.matchedCount === 1) return true;
    // Its time is set anew, so that a claim which repeats one from before a crash is not taken for lost.
    const held = { _id: tenantId, 'slots.token': token };
    return (await this.models.ledgers.updateOne(held, { $set: { 'slots.$.at': at } }).exec()).matchedCount === 1;
  }

  /** Creates a missing counter, and drops tokens that a crash has left behind. */
  async #reconcile(tenantId: string): Promise<void> {
    // The counter is read before the records: a token that appears in between is not examined.
    const stored = await this.models.ledgers.findById(tenantId).lean().exec();
    const held = await this.#heldTokens(tenantId);
    if (stored === null) {
      const at = new Date(this.clock.now());
      const slots = [...held].map((token) => ({ token, at }));
      // Only the first of several builders writes; the others find its record and change nothing.
      await this.models.ledgers
        .updateOne({ _id: tenantId }, { $setOnInsert: { slots } }, { upsert: true })
        .exec()
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
        });
      return;
    }
    const oldest = new Date(this.clock.now() - this.longestRequestMs);
    const lost = stored.slots.filter((slot) => slot.at < oldest && !held.has(slot.token)).map((slot) => slot.token);
    if (lost.length === 0) return;
    await this.models.ledgers
      .updateOne({ _id: tenantId }, { $pull: { slots: { token: { $in: lost }, at: { $lt: oldest } } } })
      .exec();
  }

  async #heldTokens(tenantId: string): Promise<Set<string>> {
    const active = await this.models.workflows
      .find({ tenant_id: tenantId, slot: { $ne: null } })
      .select('slot')
      .lean()
      .exec();
    return new Set(active.map((record) => record.slot as string));
  }
}
