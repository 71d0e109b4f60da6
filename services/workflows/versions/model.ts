import { type Connection, type Model, Schema } from 'mongoose';
import { durableOptions, type Owned, ownedFields } from '../../../lib/tenant';

/** A saved DSL, as JSON text. `_id` is made of the workflow and the number, so that a number is given once. */
export interface VersionRecord extends Owned {
  workflow_id: string;
  version: number;
  message: string | null;
  dsl: string;
  dsl_hash: string;
  created_by: string;
  /** E-mail address; absent in records of releases without it. */
  author?: string | null;
  created_at: Date;
}

const text = { type: String, required: true } as const;

const versionSchema = new Schema<VersionRecord>(
  {
    ...ownedFields,
    workflow_id: text,
    version: { type: Number, required: true },
    message: { type: String, default: null },
    dsl: text,
    dsl_hash: text,
    created_by: text,
    author: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  { ...durableOptions, collection: 'workflow_versions' },
).index({ tenant_id: 1, workflow_id: 1, version: -1 });

/** The collection of versions. */
export const versionModel = (db: Connection): Model<VersionRecord> =>
  db.model<VersionRecord>('workflow_version', versionSchema);
