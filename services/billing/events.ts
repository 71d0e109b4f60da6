import type { Model } from 'mongoose';
import { backoffMs } from '../../lib/backoff';
import type { Clock } from '../../lib/clock';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import type { EventRecord, UndeliveredEvent } from './models';
import type { EventFacts } from './signature';

const RETENTION_MS = 90 * 24 * 3_600_000;
const RETRY = { firstMs: 5_000, maxMs: 3_600_000 };
/** Larger events are not delivered to workflows. The provider's events are far smaller. */
const MAX_EVENT_CHARS = 512 * 1024;

/** Events that may change a subscription. The others are only recorded. */
const RELEVANT =
  /^(?:checkout\.session\.(?:completed|async_payment_succeeded)|customer\.subscription\.\w+|customer\.deleted|invoice\.(?:paid|payment_failed))$/;

/** Stored events of the provider. Each is stored once and retried until it is processed. */
export class Events {
  constructor(
    private readonly model: Model<EventRecord>,
    private readonly clock: Clock,
  ) {}

  /** Stores an event; false for a duplicate, and for an event of another installation. */
  async store({ id, type, createdAt, customer, tenantId, text }: EventFacts): Promise<boolean> {
    const now = this.clock.now();
    const relevant = RELEVANT.test(type);
    const deliverable = (customer !== null || tenantId !== null) && text.length <= MAX_EVENT_CHARS;
    const record: EventRecord = {
      _id: id,
      type,
      created: new Date(createdAt),
      named: tenantId,
      customer,
      state: relevant ? 'waiting' : 'ignored',
      note: null,
      attempts: 0,
      next_at: new Date(now),
      ...(deliverable ? { telling: { next_at: new Date(now), attempts: 0, body: text } } : {}),
      received_at: new Date(now),
      expires_at: new Date(now + RETENTION_MS),
    };
    return (await nullOnDuplicate(this.model.create(record))) !== null && (relevant || deliverable);
  }

  /** The event that has been due for the longest time. */
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

  /** Schedules a retry with exponential backoff. */
  async later({ _id, attempts }: EventRecord, note: string): Promise<void> {
    await this.model
      .updateOne({ _id, state: 'waiting' }, { $set: { next_at: this.#after(attempts), note }, $inc: { attempts: 1 } })
      .exec();
  }

  /** The event whose delivery to workflows is due first. */
  async pending(): Promise<UndeliveredEvent | null> {
    return this.model
      .findOne({ 'telling.next_at': { $exists: true, $lte: new Date(this.clock.now()) } })
      .sort({ 'telling.next_at': 1 })
      .lean<UndeliveredEvent>()
      .exec();
  }

  /** Marks an event as delivered to workflows and drops its body. */
  async markNotified({ _id }: UndeliveredEvent, outcome: string): Promise<void> {
    await this.model.updateOne({ _id }, { $set: { told: outcome }, $unset: { telling: 1 } }).exec();
  }

  async retryLater({ _id, telling: { attempts } }: UndeliveredEvent, reason: string): Promise<void> {
    const $set = { 'telling.next_at': this.#after(attempts), told: reason };
    const filter = { _id, 'telling.next_at': { $exists: true } };
    await this.model.updateOne(filter, { $set, $inc: { 'telling.attempts': 1 } }).exec();
  }

  #after(attempts: number): Date {
    return new Date(this.clock.now() + backoffMs(RETRY, attempts + 1, Math.random()));
  }
}
