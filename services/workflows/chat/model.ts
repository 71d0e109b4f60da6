import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields } from '../../../lib/tenant';
import type { ChatDeploymentView } from '../../../contracts/workflows/chat';

/** A chat as stored. */
export interface ChatRecord extends Owned, Omit<ChatDeploymentView, 'created_at'> {
  created_at: Date;
}

const text = { type: String, required: true } as const;
const count = { type: Number, required: true } as const;

const chatSchema = new Schema<ChatRecord>(
  {
    ...ownedFields,
    slug: text,
    workflow_id: text,
    title: text,
    greeting: { type: String, default: '' },
    input_field: text,
    output_field: text,
    allowed_origins: { type: [String], required: true },
    rate_limit: new Schema({ per_minute: count, burst: count }, { _id: false }),
    created_by: text,
    created_at: { type: Date, required: true },
  },
  { ...durableOptions, collection: 'chat_deployments' },
)
  .index({ slug: 1 }, { unique: true })
  .index({ tenant_id: 1, workflow_id: 1 })
  .index({ tenant_id: 1, created_at: -1, _id: 1 });

/** The collection of chats. */
export const chatModel = (db: Connection): Model<ChatRecord> => db.model<ChatRecord>('chat_deployment', chatSchema);
