import { type Connection, type Model, Schema } from 'mongoose';
import { sha256 } from '../../lib/crypto';
import { durableOptions, type Owned, ownedFields } from '../../lib/tenant';

/** What is at a path of a run's workspace. `_id` is made of tenant, run and path: there is one at a time. */
export interface FileRecord extends Owned {
  execution_id: string;
  workflow_id: string;
  path: string;
  name: string;
  /** Bytes. */
  size: number;
  content_type: string;
  sha256: string;
  /** The content. Another one takes its place as a whole. */
  blob_id: string;
  /** The id that permits the download; null while the file is not shared. */
  share_id: string | null;
  /** When the share ends; null for never. */
  share_until: Date | null;
  created_at: Date;
}

export type FileModel = Model<FileRecord>;

export const fileId = (tenantId: string, executionId: string, path: string): string =>
  sha256(JSON.stringify([tenantId, executionId, path]));

const must = <T>(type: T) => ({ type, required: true as const });

const fileSchema = new Schema<FileRecord>(
  {
    ...ownedFields,
    execution_id: must(String),
    workflow_id: must(String),
    path: must(String),
    name: must(String),
    size: must(Number),
    content_type: must(String),
    sha256: must(String),
    blob_id: must(String),
    share_id: { type: String, default: null },
    share_until: { type: Date, default: null },
    created_at: must(Date),
  },
  { ...durableOptions, collection: 'workspace_files' },
)
  .index({ execution_id: 1, path: 1 })
  .index({ workflow_id: 1 })
  .index({ blob_id: 1 })
  // What a tenant keeps is summed up from these keys alone.
  .index({ tenant_id: 1, size: 1 })
  .index({ share_id: 1 }, { unique: true, partialFilterExpression: { share_id: { $gt: '' } } });

/** The collection that this service owns beside the contents. */
export const fileModel = (db: Connection): FileModel => db.model<FileRecord>('workspace_file', fileSchema);
