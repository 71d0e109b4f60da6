import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { EventRecord, TellingRecord } from './models';
import type { EventFacts } from './signature';

const KEPT_MS = 90 * 24 * 3_600_000;
const LEAST_PAUSE_MS = 5_000;
const MOST_PAUSE_MS = 3_600_000;
/** Characters of an event that workflows can hear of: far above what the provider sends. */
const LONGEST_TOLD = 512 * 1024;

/** What may change what a tenant has subscribed to. The others are only recorded. */
const RELEVANT =
  /^(?:checkout\.session\.(?:completed|async_payment_succeeded)|customer\.subscription\.\w+|customer\.deleted|invoice\.(?:paid|payment_failed))$/;

/** Events of the provider: each is kept once, and worked on until that is done. */
export class Events {
  constructor(
    private readonly model: Model<EventRecord>,
    private readonly clock: Clock,
  ) {}

  /** Stores an event; false when it was known, or is nobody's. */
  async keep({ id, type, createdAt, customer, tenantId, text }: EventFacts): Promise<boolean> {
    const now = this.clock.now();
    const relevant = RELEVANT.test(type);
    const belongs = (customer !== null || tenantId !== null) && text.length <= LONGEST_TOLD;
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
        ...(belongs ? { telling: { next_at: new Date(now), attempts: 0, body: text } } : {}),
        received_at: new Date(now),
        expires_at: new Date(now + KEPT_MS),
      });
      return relevant || belongs;
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
    await this.model
      .updateOne({ _id, state: 'waiting' }, { $set: { next_at: this.#after(attempts), note }, $inc: { attempts: 1 } })
      .exec();
  }

  /** The one of which workflows should have heard for longest. */
  async untold(): Promise<TellingRecord | null> {
    return this.model
      .findOne({ 'telling.next_at': { $exists: true, $lte: new Date(this.clock.now()) } })
      .sort({ 'telling.next_at': 1 })
      .lean<TellingRecord>()
      .exec();
  }

  /** Workflows have heard of it: what it said is not kept any longer. */
  async told({ _id }: TellingRecord, told: string): Promise<void> {
    await this.model.updateOne({ _id }, { $set: { told }, $unset: { telling: 1 } }).exec();
  }

  async tellLater({ _id, telling: { attempts } }: TellingRecord, told: string): Promise<void> {
    const $set = { 'telling.next_at': this.#after(attempts), told };
    const filter = { _id, 'telling.next_at': { $exists: true } };
    await this.model.updateOne(filter, { $set, $inc: { 'telling.attempts': 1 } }).exec();
  }

  #after(attempts: number): Date {
    return new Date(this.clock.now() + Math.min(MOST_PAUSE_MS, LEAST_PAUSE_MS * 2 ** attempts));
  }
}
