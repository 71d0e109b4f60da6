import type { Collection } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import type { NoticeKind } from '../../contracts/alerts';
import { createIndexes as ensureIndexes } from '../../lib/indexes';
import {
  durableOptions,
  optionalText,
  type Owned,
  ownedFields,
  requiredDate,
  requiredNumber,
  requiredText,
} from '../../lib/tenant';

/** A rule. Its channels are encrypted as a whole, as URLs of webhooks are often secret. */
export interface RuleRecord extends Owned {
  name: string;
  enabled: boolean;
  /** JSON texts of an `AlertScope` and an `AlertCondition`. */
  scope: string;
  condition: string;
  sealed: Buffer;
  key_id: string;
  quiet_ms: number;
  muted_until: Date | null;
  /** Counts what makes the rule begin anew: another condition or scope, and enabling. */
  epoch: number;
  /** Runs that ended before do not count. */
  counts_from: Date;
  /** Counts changes; a change names the one it saw. */
  revision: number;
  created_by: string | null;
  created_at: Date;
  updated_at: Date;
}

/** What a rule has seen of a workflow. `_id`: `<rule>:<workflow>`, and `<rule>:` for what is of the tenant. */
export interface WatchRecord extends Owned {
  rule_id: string;
  workflow_id: string | null;
  workflow_name: string | null;
  epoch: number;
  /** JSON text of a `Watch`. */
  watch: string;
  firing: boolean;
  /** When it has to be looked at though nothing happens; null: never. */
  next_at: Date | null;
  /** Counts changes; a change names the one it saw. */
  revision: number;
}

/** An ended run, until all rules have counted it, and for a day so that it is not counted again. `_id`: the run's id. */
export interface RunRecord extends Owned {
  workflow_id: string;
  workflow_name: string;
  status: 'completed' | 'failed';
  ended_at: Date;
  duration_ms: number;
  pending: boolean;
  expires_at: Date;
}

/** When the rules of a tenant are evaluated next, and by which process. `_id`: the tenant. */
export interface TurnRecord extends Owned {
  wake_at: Date | null;
  holder: string | null;
  /** Counts calls for an evaluation, so that none is missed that came during one. */
  nudges: number;
  /** The runs that are counted at present, and the number of this batch. */
  batch: number;
  runs: string[];
  /** When conditions were checked that ended runs do not decide. */
  checked_at: Date | null;
}

/** A notice for one receiver. `_id` is derived from the notice and the receiver, so that it is made once. */
export interface NotificationRecord extends Owned {
  rule_id: string;
  kind: NoticeKind;
  workflow_id: string | null;
  workflow_name: string | null;
  subject: string;
  text: string;
  /** JSON text of a `NoticeFacts`. */
  facts: string;
  channel_id: string;
  channel: 'mail' | 'webhook' | 'connector';
  target: string;
  status: 'pending' | 'sent' | 'failed' | 'withheld';
  attempts: number;
  /** Attempts that are known to have failed; those that a crash ended are not among them. */
  failures: number;
  /** The next attempt, or the end of the claim of a process that is sending it. */
  wake_at: Date | null;
  error: string | null;
  created_at: Date;
  sent_at: Date | null;
  expires_at: Date;
}

export interface AlertModels {
  readonly rules: Model<RuleRecord>;
  readonly watches: Model<WatchRecord>;
  readonly runs: Model<RunRecord>;
  readonly turns: Model<TurnRecord>;
  readonly notifications: Model<NotificationRecord>;
}

const flag = { type: Boolean, required: true } as const;
const maybeDate = { type: Date, default: null } as const;
const collection = (name: string) => ({ ...durableOptions, collection: name });

const ruleSchema = new Schema<RuleRecord>(
  {
    ...ownedFields,
    name: requiredText,
    enabled: flag,
    scope: requiredText,
    condition: requiredText,
    sealed: { type: Buffer, required: true },
    key_id: requiredText,
    quiet_ms: requiredNumber,
    muted_until: maybeDate,
    epoch: requiredNumber,
    counts_from: requiredDate,
    revision: requiredNumber,
    created_by: optionalText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  collection('alert_rules'),
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  .index({ key_id: 1 });

const watchSchema = new Schema<WatchRecord>(
  {
    ...ownedFields,
    rule_id: requiredText,
    workflow_id: optionalText,
    workflow_name: optionalText,
    epoch: requiredNumber,
    watch: requiredText,
    firing: flag,
    next_at: maybeDate,
    revision: requiredNumber,
  },
  collection('alert_watches'),
)
  .index({ tenant_id: 1, next_at: 1 })
  .index({ tenant_id: 1, rule_id: 1, firing: 1 });

const runSchema = new Schema<RunRecord>(
  {
    ...ownedFields,
    workflow_id: requiredText,
    workflow_name: { type: String, default: '' },
    status: requiredText,
    ended_at: requiredDate,
    duration_ms: requiredNumber,
    pending: flag,
    expires_at: requiredDate,
  },
  collection('alert_runs'),
)
  .index({ tenant_id: 1, ended_at: 1 }, { partialFilterExpression: { pending: true } })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const turnSchema = new Schema<TurnRecord>(
  {
    ...ownedFields,
    wake_at: maybeDate,
    holder: optionalText,
    nudges: requiredNumber,
    batch: requiredNumber,
    runs: [String],
    checked_at: maybeDate,
  },
  collection('alert_turns'),
).index({ wake_at: 1 });

const notificationSchema = new Schema<NotificationRecord>(
  {
    ...ownedFields,
    rule_id: requiredText,
    kind: requiredText,
    workflow_id: optionalText,
    workflow_name: optionalText,
    subject: requiredText,
    text: requiredText,
    facts: requiredText,
    channel_id: requiredText,
    channel: requiredText,
    target: requiredText,
    status: requiredText,
    attempts: requiredNumber,
    failures: requiredNumber,
    wake_at: maybeDate,
    error: optionalText,
    created_at: requiredDate,
    sent_at: maybeDate,
    expires_at: requiredDate,
  },
  collection('alert_notifications'),
)
  .index({ tenant_id: 1, rule_id: 1, created_at: -1, _id: 1 })
  .index({ tenant_id: 1, channel: 1, created_at: -1 })
  .index({ wake_at: 1 }, { partialFilterExpression: { status: 'pending' } })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

/** The collections that this service owns. */
export const alertModels = (db: Connection): AlertModels => ({
  rules: db.model<RuleRecord>('alert_rule', ruleSchema),
  watches: db.model<WatchRecord>('alert_watch', watchSchema),
  runs: db.model<RunRecord>('alert_run', runSchema),
  turns: db.model<TurnRecord>('alert_turn', turnSchema),
  notifications: db.model<NotificationRecord>('alert_notification', notificationSchema),
});

/** Creates the indexes for queries and uniqueness; idempotent. */
export const createIndexes = (models: AlertModels): Promise<void> => ensureIndexes(...Object.values(models));

/** The collection of the native driver, which inserts many records in any order. */
export const raw = <R extends { _id: string }>(model: Model<R>): Collection<R> =>
  model.collection as unknown as Collection<R>;
