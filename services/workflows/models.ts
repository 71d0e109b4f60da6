import { type Connection, type Model, Schema } from 'mongoose';
import { type Owned, durableOptions, ownedFields } from '../../lib/tenant';
import { createIndexes as ensureIndexes } from '../../lib/indexes';
import type { WorkflowEnv, WorkflowStatus } from '../../contracts/workflows/views';

/**
 * A workflow as stored. The DSL lies as JSON text: its keys are the user's own (`$set`, `a.b`, `__proto__`), and text
 * gives back exactly what was put in.
 */
export interface WorkflowRecord extends Owned {
  name: string;
  description: string;
  /** This and the next two are absent in records that are older than them. */
  tags?: string[];
  folder?: string;
  /** Ids, names and types of the steps in lower case, for the search. */
  step_words?: string;
  env: WorkflowEnv;
  dsl: string;
  dsl_hash: string;
  plan_hash: string;
  triggers: string[];
  /** What starts it from inside of the service (see lib/subscription-keys); absent in records that are older than that. */
  topics?: string[];
  /** Its `schedule` triggers, each as JSON text (see scheduling); absent in records that are older than those. */
  timers?: string[];
  /** There while the scheduler may not know of the last change. */
  unsynced?: boolean;
  /** Its webhook hands on the body as it came, too; absent where it does not. */
  raw_body?: boolean;
  /** Its webhook takes only requests that are signed; absent where it does not ask. */
  signed?: boolean;
  /** Its webhook recognises repeated requests by a value of the body; absent where it does not. */
  dedupes?: boolean;
  /** Custom node types that the DSL names; absent in records that are older than those. */
  custom_types?: string[];
  /** What the DSL names of the tenant, such as `connection:Shop`; absent in records that are older than that. */
  refs?: string[];
  secrets: string[];
  status: WorkflowStatus;
  enabled: boolean;
  /** Counts changes of the DSL; shown. */
  version: number;
  /** Counts changes of the record; a change names the one it saw. */
  revision: number;
  /** Token of the place that an active workflow holds in its tenant's ledger; null exactly when it is not active. */
  slot: string | null;
  webhook_key_hash: string | null;
  webhook_key_tail: string | null;
  /** Set at removal: from then on the record is only a mark for the sweep. */
  deleted_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** A key for `/run`; the key itself is not kept. */
export interface WorkflowKeyRecord extends Owned {
  workflow_id: string;
  name: string;
  prefix: string;
  hash: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** A compiled plan as JSON text under its hash. Never changed, and shared by all workflows that compile to the same plan. */
interface PlanRecord {
  _id: string;
  plan: string;
}

/** The active workflows of a tenant whose plan limits them; `_id` is the tenant. */
interface SlotsRecord {
  _id: string;
  slots: { token: string; at: Date }[];
}

export interface WorkflowModels {
  readonly workflows: Model<WorkflowRecord>;
  readonly keys: Model<WorkflowKeyRecord>;
  readonly plans: Model<PlanRecord>;
  readonly ledgers: Model<SlotsRecord>;
}

const text = { type: String, required: true } as const;
const optionalText = { type: String, default: null } as const;
const words = { type: [String], required: true };
const instant = { type: Date, required: true } as const;

const workflowSchema = new Schema<WorkflowRecord>(
  {
    ...ownedFields,
    name: text,
    description: { type: String, default: '' },
    tags: { type: [String], default: undefined },
    folder: { type: String, default: undefined },
    step_words: { type: String, default: undefined },
    env: text,
    dsl: text,
    dsl_hash: text,
    plan_hash: text,
    triggers: words,
    topics: { type: [String], default: undefined },
    timers: { type: [String], default: undefined },
    unsynced: { type: Boolean, default: undefined },
    raw_body: { type: Boolean, default: undefined },
    signed: { type: Boolean, default: undefined },
    dedupes: { type: Boolean, default: undefined },
    custom_types: { type: [String], default: undefined },
    refs: { type: [String], default: undefined },
    secrets: words,
    status: text,
    enabled: { type: Boolean, required: true },
    version: { type: Number, required: true },
    revision: { type: Number, required: true },
    slot: optionalText,
    webhook_key_hash: optionalText,
    webhook_key_tail: optionalText,
    deleted_at: { type: Date, default: null },
    created_by: text,
    created_at: instant,
    updated_at: instant,
  },
  { ...durableOptions, collection: 'workflows' },
)
  .index({ tenant_id: 1, created_at: -1, _id: 1 })
  .index({ tenant_id: 1, name: 1, _id: 1 })
  .index({ tenant_id: 1, updated_at: -1, _id: 1 })
  .index({ tenant_id: 1, tags: 1 })
  .index({ tenant_id: 1, folder: 1 })
  // Hardly any workflow has one, and each signal and failure asks for them.
  .index({ tenant_id: 1, topics: 1 }, { partialFilterExpression: { 'topics.0': { $exists: true } } })
  .index({ unsynced: 1 }, { partialFilterExpression: { unsynced: true } })
  // Of those that are removed alone: by one of all others, a tenant's workflows would be looked for among everybody's.
  .index({ deleted_at: 1, _id: 1 }, { partialFilterExpression: { deleted_at: { $gt: new Date(0) } } });

const keySchema = new Schema<WorkflowKeyRecord>(
  {
    ...ownedFields,
    workflow_id: text,
    name: text,
    prefix: text,
    hash: text,
    created_at: instant,
    last_used_at: { type: Date, default: null },
  },
  { ...durableOptions, collection: 'workflow_keys' },
)
  .index({ hash: 1 }, { unique: true })
  .index({ tenant_id: 1, workflow_id: 1 });

const planSchema = new Schema<PlanRecord>({ _id: text, plan: text }, { ...durableOptions, collection: 'plans' });

const ledgerSchema = new Schema<SlotsRecord>(
  { _id: text, slots: [new Schema({ token: text, at: instant }, { _id: false })] },
  { ...durableOptions, collection: 'workflow_ledgers' },
);

/** The collections that this service owns. */
export const workflowModels = (db: Connection): WorkflowModels => ({
  workflows: db.model<WorkflowRecord>('workflow', workflowSchema),
  keys: db.model<WorkflowKeyRecord>('workflow_key', keySchema),
  plans: db.model<PlanRecord>('plan', planSchema),
  ledgers: db.model<SlotsRecord>('workflow_ledger', ledgerSchema),
});

/** Makes the indexes that queries and uniqueness rely on; does nothing where they exist. */
export async function createIndexes(models: WorkflowModels): Promise<void> {
  await ensureIndexes(models.workflows, models.keys);
}
