import { type Connection, type Model, Schema } from 'mongoose';
import { sha256 } from '../../lib/crypto';
import {
  durableOptions,
  type Owned,
  ownedFields,
  requiredText,
  optionalText,
  requiredNumber,
  requiredDate,
} from '../../lib/tenant';

/** A file in a run's workspace. `_id` is derived from tenant, run and path, so a path has one file. */
export interface FileRecord extends Owned {
  execution_id: string;
  workflow_id: string;
  path: string;
  name: string;
  /** Bytes. */
  size: number;
  content_type: string;
  sha256: string;
  /** The content; replaced as a whole. */
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

const fileSchema = new Schema<FileRecord>(
  {
    ...ownedFields,
    execution_id: requiredText,
    workflow_id: requiredText,
    path: requiredText,
    name: requiredText,
    size: requiredNumber,
    content_type: requiredText,
    sha256: requiredText,
    blob_id: requiredText,
    share_id: optionalText,
    share_until: { type: Date, default: null },
    created_at: requiredDate,
  },
  { ...durableOptions, collection: 'workspace_files' },
)
  .index({ execution_id: 1, path: 1 })
  .index({ workflow_id: 1 })
  .index({ blob_id: 1 })
  // A covering index for the sum of a tenant's sizes.
  .index({ tenant_id: 1, size: 1 })
  .index({ share_id: 1 }, { unique: true, partialFilterExpression: { share_id: { $gt: '' } } });

/** The collection of files; contents are in `blobs.ts`. */
export const fileModel = (db: Connection): FileModel => db.model<FileRecord>('workspace_file', fileSchema);
