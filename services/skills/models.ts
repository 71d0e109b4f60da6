import type { Binary } from 'mongodb';
import { type Connection, type Model, Schema } from 'mongoose';
import {
  durableOptions,
  type Owned,
  ownedFields,
  requiredText,
  optionalText,
  requiredNumber,
  requiredDate,
} from '../../lib/tenant';
import { type UploadPart, uploadPartSchema } from '../../mixins/uploads';

/** A skill of a tenant. Structures with user-defined keys are stored as JSON. */
export interface SkillRecord extends Owned {
  /** The tenant's name for it. An installed skill may have another name in the registry. */
  name: string;
  /** See StoredHead. */
  head: string;
  /** Hash and size of the content. */
  hash: string;
  bytes: number;
  file_count: number;
  /** Registry id of an installed skill; null for the tenant's own skills, like the other `source` fields. */
  source_id: string | null;
  /** See StoredSource. */
  source: string | null;
  /** Hash of the installed content. It stays available under its version when the copy is changed. */
  source_hash: string | null;
  /** Incremented by every change, for optimistic concurrency control. */
  revision: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** An immutable content. Runs that pinned its hash can read it after the skill has changed. */
export interface ContentRecord extends Owned {
  hash: string;
  /** Head and instructions as JSON. */
  text: string;
  files: { path: string; data: Buffer | Binary }[];
  /** Storage used, including overhead. */
  bytes: number;
  /** Start of the retention period. */
  needed_at: Date;
}

/** Registry entry of a skill, visible to all tenants. `_id` is the skill's id. Contains no draft. */
export interface PublishedRecord extends Owned {
  state: 'published' | 'withdrawn';
  /** The current installable version; empty for none. */
  version: string;
  /** StoredRow of that version, as JSON. */
  row: string;
  /** PublishedVersion[], as JSON. */
  versions: string;
  /** Bytes of the contents of all versions. */
  bytes: number;
  words: string[];
  weights: number[];
  revision: number;
  published_at: Date;
}

const options = (collection: string) => ({ ...durableOptions, collection });

const skillSchema = new Schema<SkillRecord>(
  {
    ...ownedFields,
    name: requiredText,
    head: requiredText,
    hash: requiredText,
    bytes: requiredNumber,
    file_count: requiredNumber,
    source_id: optionalText,
    source: optionalText,
    source_hash: optionalText,
    revision: requiredNumber,
    created_by: requiredText,
    created_at: requiredDate,
    updated_at: requiredDate,
  },
  options('skills'),
)
  .index({ tenant_id: 1, name: 1 }, { unique: true })
  // A tenant has at most one copy of a registry skill.
  .index({ source_id: 1, tenant_id: 1 }, { unique: true, partialFilterExpression: { source_id: { $gt: '' } } });

const contentSchema = new Schema<ContentRecord>(
  {
    ...ownedFields,
    hash: requiredText,
    text: requiredText,
    files: [new Schema({ path: requiredText, data: { type: Buffer, default: Buffer.alloc(0) } }, { _id: false })],
    bytes: requiredNumber,
    needed_at: requiredDate,
  },
  options('skill_contents'),
)
  // Covers the storage used by a tenant.
  .index({ tenant_id: 1, bytes: 1 })
  .index({ needed_at: 1 });

const publishedSchema = new Schema<PublishedRecord>(
  {
    ...ownedFields,
    state: requiredText,
    version: { type: String, default: '' },
    row: requiredText,
    versions: requiredText,
    bytes: requiredNumber,
    words: [String],
    weights: [Number],
    revision: requiredNumber,
    published_at: requiredDate,
  },
  options('published_skills'),
)
  .index({ state: 1, published_at: -1, _id: 1 })
  .index({ tenant_id: 1 })
  .index({ words: 1 });

const uploadSchema = uploadPartSchema('skill_uploads');

/** The collections that this service owns. */
export interface SkillModels {
  readonly skills: Model<SkillRecord>;
  readonly contents: Model<ContentRecord>;
  readonly published: Model<PublishedRecord>;
  readonly uploads: Model<UploadPart>;
}

export const skillModels = (db: Connection): SkillModels => ({
  skills: db.model<SkillRecord>('skill', skillSchema),
  contents: db.model<ContentRecord>('skill_content', contentSchema),
  published: db.model<PublishedRecord>('published_skill', publishedSchema),
  uploads: db.model<UploadPart>('skill_upload', uploadSchema),
});
