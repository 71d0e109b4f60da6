import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields, requiredText, requiredDate } from '../../../lib/tenant';

/** A message of a visitor and its reply. */
export interface Turn {
  readonly said: string;
  readonly reply: string;
  readonly execution_id: string;
}

/** A message whose run has not replied yet. */
export interface Pending {
  readonly said: string;
  readonly execution_id: string;
  readonly since: Date;
}

/** A conversation as stored. `_id` is a secret of its visitor. */
export interface ConversationRecord extends Owned {
  deployment_id: string;
  workflow_id: string;
  /** The history for the next message, oldest first. */
  turns: Turn[];
  pending: Pending | null;
  expires_at: Date;
}

/** Messages may consist of blanks, and replies may be empty. */
const anyText = { type: String, default: '' } as const;

const conversationSchema = new Schema<ConversationRecord>(
  {
    ...ownedFields,
    deployment_id: requiredText,
    workflow_id: requiredText,
    turns: [new Schema<Turn>({ said: anyText, reply: anyText, execution_id: requiredText }, { _id: false })],
    pending: {
      type: new Schema<Pending>({ said: anyText, execution_id: requiredText, since: Date }, { _id: false }),
      default: null,
    },
    expires_at: requiredDate,
  },
  { ...durableOptions, collection: 'chat_conversations' },
)
  .index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  .index({ tenant_id: 1, workflow_id: 1 });

/** The collection of conversations. */
export const conversationModel = (db: Connection): Model<ConversationRecord> =>
  db.model<ConversationRecord>('chat_conversation', conversationSchema);
