import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields } from '../../../mixins/tenant';
import type { DeliveryOutcome, DeliverySignature, DeliverySource } from '../contract';

/**
 * A delivery to a workflow as stored. Headers and query lie as JSON text, since their keys are a stranger's. A large body
 * lies elsewhere, so that a list does not read it.
 */
export interface InboxRecord extends Owned {
  workflow_id: string;
  source: DeliverySource;
  method: string;
  status: number | null;
  signature: DeliverySignature;
  delivery_id: string | null;
  outcome: DeliveryOutcome;
  reason: string | null;
  execution_ids: string[];
  content_type: string | null;
  headers: string;
  query: string;
  size: number;
  body_sha256: string | null;
  /** How much of the body is kept, in bytes. */
  kept: number;
  /** Null: it lies elsewhere. */
  body: Buffer | null;
  /** Anybody who knows the address can have made it: these have a smaller share of the inbox. */
  minor: boolean;
  received_at: Date;
  expires_at: Date;
}

/** The body of a delivery of the same id. */
export interface BodyRecord extends Owned {
  workflow_id: string;
  minor: boolean;
  body: Buffer;
  expires_at: Date;
}

const text = { type: String, required: true } as const;
const optionalText = { type: String, default: null } as const;
const instant = { type: Date, required: true } as const;

const inboxSchema = new Schema<InboxRecord>(
  {
    ...ownedFields,
    workflow_id: text,
    source: text,
    method: text,
    status: { type: Number, default: null },
    signature: text,
    delivery_id: optionalText,
    outcome: text,
    reason: optionalText,
    execution_ids: { type: [String], required: true },
    content_type: optionalText,
    headers: text,
    query: text,
    size: { type: Number, required: true },
    body_sha256: optionalText,
    kept: { type: Number, required: true },
    body: { type: Buffer, default: null },
    minor: { type: Boolean, required: true },
    received_at: instant,
    expires_at: instant,
  },
  { ...durableOptions, collection: 'webhook_deliveries' },
)
  .index({ tenant_id: 1, workflow_id: 1, _id: -1 })
  .index({ tenant_id: 1, workflow_id: 1, minor: 1, _id: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const bodySchema = new Schema<BodyRecord>(
  {
    ...ownedFields,
    workflow_id: text,
    minor: { type: Boolean, required: true },
    body: { type: Buffer, required: true },
    expires_at: instant,
  },
  { ...durableOptions, collection: 'webhook_bodies' },
)
  .index({ tenant_id: 1, workflow_id: 1, minor: 1, _id: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export interface InboxModels {
  readonly deliveries: Model<InboxRecord>;
  readonly bodies: Model<BodyRecord>;
}

/** The collections of inboxes. */
export const inboxModels = (db: Connection): InboxModels => ({
  deliveries: db.model<InboxRecord>('webhook_delivery', inboxSchema),
  bodies: db.model<BodyRecord>('webhook_body', bodySchema),
});

export async function createInboxIndexes({ deliveries, bodies }: InboxModels): Promise<void> {
  await Promise.all([deliveries.createIndexes(), bodies.createIndexes()]);
}
