import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { EventRecord } from './models';
import type { EventFacts } from './signature';

const KEPT_MS = 90 * 24 * 3_600_000;
const LEAST_PAUSE_MS = 5_000;
const MOST_PAUSE_MS = 3_600_000;

/** What may change what a tenant has subscribed to. The others are only recorded. */
const RELEVANT =
  /^(?:checkout\.session\.(?:completed|async_payment_succeeded)|customer\.subscription\.\w+|customer\.deleted|invoice\.(?:paid|payment_failed))$/;

/** Events of the provider: each is kept once, and worked on until that is done. */
export class Events {
  constructor(
    private readonly model: Model<EventRecord>,
    private readonly clock: Clock,
  ) {}

  /** Stores an event; false when it was known, or changes nothing. */
  async keep({ id, type, createdAt, customer, tenantId }: EventFacts): Promise<boolean> {
    const now = this.clock.now();
    const relevant = RELEVANT.test(type);
    try {
      await this.model.create({
        _id: id,
        type,
        created: new Date(createdAt),
        named: tenantId,
        customer,
        state: relevant ? 'waiting' : 'ignored',
        note: null,
        attempts: 0,
        next_at: new Date(now),
        received_at: new Date(now),
        expires_at: new Date(now + KEPT_MS),
      });
      return relevant;
    } catch (fault) {
      if (isDuplicateKey(fault)) return false;
      throw fault;
    }
  }

  /** The one that has been due for longest. */
  async due(): Promise<EventRecord | null> {
    return this.model
      .findOne({ state: 'waiting', next_at: { $lte: new Date(this.clock.now()) } })
      .sort({ next_at: 1 })
      .lean()
      .exec();
  }

  async done({ _id }: EventRecord, note: string): Promise<void> {
    await this.model.updateOne({ _id }, { $set: { state: 'done', note } }).exec();
  }

  /** Puts it off, the longer the more often that was done. */
  async later({ _id, attempts }: EventRecord, note: string): Promise<void> {
    const pause = Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS * 2 ** attempts);
    const next = new Date(this.clock.now() + pause);
    await this.model
      .updateOne({ _id, state: 'waiting' }, { $set: { next_at: next, note }, $inc: { attempts: 1 } })
      .exec();
  }
}
