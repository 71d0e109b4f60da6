import { type Connection, type Model, Schema } from 'mongoose';
import {
  durableOptions,
  type Owned,
  ownedFields,
  requiredText,
  optionalText,
  requiredNumber,
  requiredDate,
} from '../../../lib/tenant';
import { createIndexes } from '../../../lib/indexes';
import type { DeliveryOutcome, DeliverySignature, DeliverySource } from '../../../contracts/channels/views';

/**
 * A stored delivery to a workflow. Headers and query are JSON text, because clients choose their keys. A large body is in
 * another collection, so that lists do not read it.
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
  /** Stored bytes of the body. */
  kept: number;
  /** Null for a large body; see BodyRecord. */
  body: Buffer | null;
  /** Unauthenticated: anyone who knows the URL can send these, so fewer are kept. */
  minor: boolean;
  received_at: Date;
  expires_at: Date;
}

/** The body of the delivery with the same id. */
export interface BodyRecord extends Owned {
  workflow_id: string;
  minor: boolean;
  body: Buffer;
  expires_at: Date;
}

const deliverySchema = new Schema<WebhookDeliveryRecord>(
  {
    ...ownedFields,
    workflow_id: requiredText,
    source: requiredText,
    method: requiredText,
    status: { type: Number, default: null },
    signature: requiredText,
    delivery_id: optionalText,
    outcome: requiredText,
    reason: optionalText,
    execution_ids: { type: [String], required: true },
    content_type: optionalText,
    headers: requiredText,
    query: requiredText,
    size: requiredNumber,
    body_sha256: optionalText,
    kept: requiredNumber,
    body: { type: Buffer, default: null },
    minor: { type: Boolean, required: true },
    received_at: requiredDate,
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'webhook_deliveries' },
)
  .index({ tenant_id: 1, _id: -1 })
  .index({ tenant_id: 1, workflow_id: 1, _id: -1 })
  .index({ tenant_id: 1, workflow_id: 1, minor: 1, _id: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

const bodySchema = new Schema<BodyRecord>(
  {
    ...ownedFields,
    workflow_id: requiredText,
    minor: { type: Boolean, required: true },
    body: { type: Buffer, required: true },
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'webhook_bodies' },
)
  .index({ tenant_id: 1, workflow_id: 1, minor: 1, _id: -1 })
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export interface DeliveryLogModels {
  readonly deliveries: Model<WebhookDeliveryRecord>;
  readonly bodies: Model<BodyRecord>;
}

/** The collections of the delivery log. */
export const deliveryLogModels = (db: Connection): DeliveryLogModels => ({
  deliveries: db.model<WebhookDeliveryRecord>('webhook_delivery', deliverySchema),
  bodies: db.model<BodyRecord>('webhook_body', bodySchema),
});

export async function createDeliveryLogIndexes({ deliveries, bodies }: DeliveryLogModels): Promise<void> {
  await createIndexes(deliveries, bodies);
}
