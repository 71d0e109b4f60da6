import { type Connection, type Model, Schema } from 'mongoose';
import { type Owned, durableOptions, ownedFields } from '../../../lib/tenant';

/**
 * A custom node as stored. The definition lies as JSON text: its keys are the user's own. It is the one that
 * `readDefinition` has made, everything filled in.
 */
export interface CustomNodeRecord extends Owned {
  /** `custom-<name>`, never changed. */
  type: string;
  definition: string;
  /** Counts changes; a change names the one it saw. */
  version: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

const text = { type: String, required: true } as const;
const instant = { type: Date, required: true } as const;

const schema = new Schema<CustomNodeRecord>(
  {
    ...ownedFields,
    type: text,
    definition: text,
    version: { type: Number, required: true },
    created_by: text,
    created_at: instant,
    updated_at: instant,
  },
  { ...durableOptions, collection: 'custom_nodes' },
).index({ tenant_id: 1, type: 1 }, { unique: true });

export const customNodeModel = (db: Connection): Model<CustomNodeRecord> =>
  db.model<CustomNodeRecord>('custom_node', schema);
