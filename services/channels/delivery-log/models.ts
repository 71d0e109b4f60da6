import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields } from '../../../lib/tenant';
import { createIndexes } from '../../../lib/indexes';
import type { DeliveryOutcome, DeliverySignature, DeliverySource } from '../../../contracts/channels/views';

/**
 * A delivery to a workflow as stored. Headers and query lie as JSON text, since their keys come from outside. A large body
 * lies elsewhere, so that a list does not read it.
 */
export interface WebhookDeliveryRecord extends Owned {
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
  /** Unauthenticated: anyone who knows the address can send it, so fewer of these are kept. */
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

const deliverySchema = new Schema<WebhookDeliveryRecord>(
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

export interface DeliveryLogModels {
  readonly deliveries: Model<WebhookDeliveryRecord>;
  readonly bodies: Model<BodyRecord>;
}

/** The collections of deliveryLog. */
export const deliveryLogModels = (db: Connection): DeliveryLogModels => ({
  deliveries: db.model<WebhookDeliveryRecord>('webhook_delivery', deliverySchema),
  bodies: db.model<BodyRecord>('webhook_body', bodySchema),
});

export async function createDeliveryLogIndexes({ deliveries, bodies }: DeliveryLogModels): Promise<void> {
  await createIndexes(deliveries, bodies);
}
