import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields, requiredDate, requiredText } from '../../../lib/tenant';

/** The unpublished document of a workflow, as JSON text. `_id` is the workflow. */
export interface DraftRecord extends Owned {
  dsl: string;
  dsl_hash: string;
  /** The hash of the live document that it changes. */
  base_hash: string;
  created_by: string;
  updated_by: string;
  created_at: Date;
  updated_at: Date;
  /** Written before its workflow, which may not exist yet; see `pending.ts`. */
  pending?: boolean;
}

const draftSchema = new Schema<DraftRecord>(
  {
    ...ownedFields,
    dsl: requiredText,
    dsl_hash: requiredText,
    base_hash: requiredText,
    created_by: requiredText,
    updated_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
    pending: { type: Boolean, default: undefined },
  },
  { ...durableOptions, collection: 'workflow_drafts' },
)
  .index({ tenant_id: 1 })
  .index({ pending: 1 }, { partialFilterExpression: { pending: true } });

/** The collection of drafts. */
export const draftModel = (db: Connection): Model<DraftRecord> => db.model<DraftRecord>('workflow_draft', draftSchema);
