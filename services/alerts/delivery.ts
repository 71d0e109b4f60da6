import { backoffCeilingMs } from '../../lib/backoff';
import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { type NextRun, PeriodicTask } from '../../lib/periodic';
import { ofTenant } from '../../lib/tenant';
import type { Channel, ChannelVault } from './channels';
import type { AlertModels, NotificationRecord } from './models';
import type { RuleStore } from './rule-store';
import type { NoticeSender, SendResult } from './sending';

/** A claim is longer than an attempt. After a crash, the attempt is repeated when it ends. */
const CLAIM_MS = 60_000;
const POLL_MS = 1_000;
const AT_ONCE = 40;
const AT_ONCE_OF_TENANT = 5;
const RETRY = { firstMs: 5_000, maxMs: 3_600_000, factor: 3 };
/** Over a bit more than nine hours. */
const MAX_ATTEMPTS = 12;
const MAX_ERROR_CHARS = 500;

interface Deps {
  readonly models: Pick<AlertModels, 'notifications'>;
  readonly rules: RuleStore;
  readonly vault: ChannelVault;
  readonly sender: Pick<NoticeSender, 'send'>;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/**
 * Sends notifications. One is claimed by a conditional write, so that one process sends it. A process that dies between
 * sending and storing that it was sent leaves it to another, which sends it again under the same id.
 */
export class NoticeDelivery {
  readonly #task: PeriodicTask;
  readonly #sending = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();

  constructor(private readonly deps: Deps) {
    this.#task = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_MS,
      run: () => this.#claim(),
      onError: (fault) => deps.warn(`Notifications could not be claimed: ${errorMessage(fault)}`),
    });
  }

  /** Looks for notifications now. */
  wake(): void {
    this.#task.trigger();
  }

  /** Resolves when the attempts in progress are over. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#attempts);
  }

  async #claim(): Promise<NextRun | void> {
    const { notifications } = this.deps.models;
    const now = this.deps.clock.now();
    const full = [...this.#sending].filter(([, count]) => count >= AT_ONCE_OF_TENANT).map(([tenant]) => tenant);
    const room = AT_ONCE - this.#attempts.size;
    if (room <= 0) return;
    const due = { status: 'pending' as const, wake_at: { $lte: new Date(now) } };
    const found = await notifications
      .find({ ...due, ...(full.length === 0 ? {} : { tenant_id: { $nin: full } }) })
      .sort({ wake_at: 1 })
      .limit(room)
      .select(['_id', 'tenant_id'])
      .lean()
      .exec();
    for (const { _id, tenant_id } of found) {
      if ((this.#sending.get(tenant_id) ?? 0) >= AT_ONCE_OF_TENANT) continue;
      const claim = { $set: { wake_at: new Date(now + CLAIM_MS) }, $inc: { attempts: 1 } };
      const record = await notifications
        .findOneAndUpdate({ _id, ...due }, claim, { returnDocument: 'after' })
        .lean<NotificationRecord>()
        .exec();
      if (record !== null) this.#launch(record);
    }
    if (found.length === room) return { inMs: 50 };
  }

  #launch(record: NotificationRecord): void {
    const { tenant_id: tenant } = record;
    this.#sending.set(tenant, (this.#sending.get(tenant) ?? 0) + 1);
    const attempt = this.#attempt(record)
      .catch((fault: unknown) => {
        // The claim ends, and the attempt is repeated.
        this.deps.warn(`Notification ${record._id}: ${errorMessage(fault)}`);
      })
      .then(() => {
        this.#attempts.delete(attempt);
        const left = (this.#sending.get(tenant) ?? 1) - 1;
        if (left === 0) this.#sending.delete(tenant);
        else this.#sending.set(tenant, left);
        if (left === AT_ONCE_OF_TENANT - 1) this.wake();
      });
    this.#attempts.add(attempt);
  }

  async #attempt(record: NotificationRecord): Promise<void> {
    const channel = await this.#channelOf(record);
    if (channel === null) {
      await this.#store(record, { status: 'withheld', wake_at: null, error: 'the alert or its channel was removed' });
      return;
    }
    const sent = await this.deps.sender.send(record, channel);
    await this.#store(record, fieldsAfter(record, sent, this.deps.clock.now()));
  }

  async #channelOf({ tenant_id, rule_id, channel_id }: NotificationRecord): Promise<Channel | null> {
    const rule = await this.deps.rules.find(tenant_id, rule_id);
    if (rule === null) return null;
    return this.deps.vault.open(rule.record).find(({ id }) => id === channel_id) ?? null;
  }

  /** Only while this attempt is the last one: a claim that ended belongs to another process. */
  async #store({ _id, tenant_id, attempts }: NotificationRecord, $set: Partial<NotificationRecord>): Promise<void> {
    await ofTenant(this.deps.models.notifications, tenant_id).update({ _id, attempts, status: 'pending' }, { $set });
  }
}

/** What is stored after an attempt. Pure. */
function fieldsAfter(
  { attempts, failures }: Pick<NotificationRecord, 'attempts' | 'failures'>,
  sent: SendResult,
  now: number,
): Partial<NotificationRecord> {
  if (sent.kind === 'sent') return { status: 'sent', wake_at: null, error: null, sent_at: new Date(now) };
  const error = sent.error.slice(0, MAX_ERROR_CHARS);
  if (sent.kind === 'failed' || attempts >= MAX_ATTEMPTS) return { status: 'failed', wake_at: null, error };
  const failed = sent.kind === 'later' ? { failures: failures + 1 } : {};
  return { ...failed, error, wake_at: new Date(now + backoffCeilingMs(RETRY, attempts)) };
}
