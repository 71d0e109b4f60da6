import { nullOnDuplicate } from '../../lib/duplicate-key';
import { randomId } from '../../lib/ids';
import type { AlertModels, TurnRecord } from './models';

/** A claim of a tenant by one process. A claim that outlives its time costs work and changes nothing twice. */
const CLAIM_MS = 15_000;
/** A tenant with rules is looked at this often at least, if a call for it was lost. */
const HEARTBEAT_MS = 300_000;
const MAX_TRIES = 5;

/** A tenant whose rules this process evaluates. */
export type Turn = Pick<TurnRecord, 'tenant_id' | 'nudges' | 'batch' | 'runs' | 'checked_at'> & {
  readonly holder: string;
};

/** Which process evaluates the rules of which tenant, and when. */
export class Turns {
  constructor(private readonly models: Pick<AlertModels, 'turns'>) {}

  /** Calls for an evaluation of the tenant's rules: now, or after the one in progress. */
  async nudge(tenantId: string, now: number): Promise<void> {
    const $inc = { nudges: 1 };
    const wake_at = new Date(now);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // The holder looks at the count when it gives the tenant up; another process must not take it before.
      const held = await this.models.turns.updateOne({ _id: tenantId, holder: { $ne: null } }, { $inc }).exec();
      if (held.matchedCount > 0) return;
      const free = { _id: tenantId, holder: null };
      const woken = await this.models.turns.updateOne(free, { $set: { wake_at }, $inc }).exec();
      if (woken.matchedCount > 0) return;
      const fresh = { ...free, tenant_id: tenantId, wake_at, nudges: 1, batch: 0, runs: [], checked_at: null };
      const made = await nullOnDuplicate(this.models.turns.create(fresh));
      if (made !== null) return;
    }
  }

  /** Claims tenants that are due, the longest due first. */
  async take(now: number, limit: number): Promise<Turn[]> {
    const due = { wake_at: { $lte: new Date(now) } };
    const found = await this.models.turns.find(due).sort({ wake_at: 1 }).limit(limit).select('_id').lean().exec();
    const holder = randomId();
    const claimed = await Promise.all(
      found.map(({ _id }) =>
        this.models.turns
          .findOneAndUpdate(
            { _id, ...due },
            { $set: { holder, wake_at: new Date(now + CLAIM_MS) } },
            { returnDocument: 'after' },
          )
          .lean()
          .exec(),
      ),
    );
    return claimed.flatMap((record) => (record === null ? [] : [{ ...record, holder }]));
  }

  /** When the next tenant is due; null: none is. */
  async nextWake(): Promise<number | null> {
    const next = await this.models.turns
      .findOne({ wake_at: { $gt: new Date(0) } })
      .sort({ wake_at: 1 })
      .select('wake_at')
      .lean()
      .exec();
    return next?.wake_at?.getTime() ?? null;
  }

  /** Begins a batch of runs. Null when another process has gone on meanwhile. */
  async beginBatch(turn: Turn, runs: readonly string[]): Promise<Turn | null> {
    const batch = turn.batch + 1;
    const same = { _id: turn.tenant_id, batch: turn.batch, holder: turn.holder };
    const done = await this.models.turns.updateOne(same, { $set: { batch, runs: [...runs] } }).exec();
    return done.matchedCount === 0 ? null : { ...turn, batch, runs: [...runs] };
  }

  /** Every rule has counted the batch. */
  async endBatch(turn: Turn): Promise<Turn> {
    await this.models.turns.updateOne({ _id: turn.tenant_id, batch: turn.batch }, { $set: { runs: [] } }).exec();
    return { ...turn, runs: [] };
  }

  async checked({ tenant_id, holder }: Turn, now: number): Promise<void> {
    await this.models.turns.updateOne({ _id: tenant_id, holder }, { $set: { checked_at: new Date(now) } }).exec();
  }

  /** Gives the tenant up until `at`; one that was called for meanwhile is due at once. */
  async release({ tenant_id, holder, nudges }: Turn, at: number, now: number): Promise<void> {
    const wakeAt = new Date(Math.min(at, now + HEARTBEAT_MS));
    const mine = { _id: tenant_id, holder };
    const done = await this.models.turns
      .updateOne({ ...mine, nudges }, { $set: { holder: null, wake_at: wakeAt } })
      .exec();
    if (done.matchedCount === 0)
      await this.models.turns.updateOne(mine, { $set: { holder: null, wake_at: new Date(now) } }).exec();
  }

  /** A tenant without rules is not looked at any more, unless it is called for. */
  async retire({ tenant_id, holder, nudges }: Turn): Promise<void> {
    await this.models.turns
      .updateOne({ _id: tenant_id, holder, nudges }, { $set: { holder: null, wake_at: null } })
      .exec();
  }
}
