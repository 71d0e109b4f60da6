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

/** A skill of a tenant. What has keys or texts of users lies as JSON. */
export interface SkillRecord extends Owned {
  /** What the tenant calls it; an installed one may have another name where it came from. */
  name: string;
  /** See StoredHead. */
  head: string;
  /** Of its content. */
  hash: string;
  /** Of its content. */
  bytes: number;
  file_count: number;
  /** The skill in the registry that it was installed from; null for one's own. */
  source_id: string | null;
  /** See StoredSource; null likewise. */
  source: string | null;
  /** What was installed, which stays to be had under its version whatever is changed here; null likewise. */
  source_hash: string | null;
  /** Counts changes; each names the one that it saw. */
  revision: number;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** A content, whole and unchanging, by its hash: a run that has begun with it finds it though the skill has moved on. */
export interface ContentRecord extends Owned {
  hash: string;
  /** Its head and instructions, as JSON. */
  text: string;
  files: { path: string; data: Buffer | Binary }[];
  /** That it takes up here, with what it says of itself. */
  bytes: number;
  /** When it was last known to be needed. */
  needed_at: Date;
}

/** What everybody may see of a skill. Its `_id` is the skill's. Nothing of a draft stands here. */
export interface PublishedRecord extends Owned {
  state: 'published' | 'withdrawn';
  /** Of the newest version that can be installed; empty without any. */
  version: string;
  /** RegistryRow of that version, but for what is counted, as JSON. */
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

/** A part of a bundle that is on its way in. */
export interface UploadRecord extends Owned {
  upload_id: string;
  n: number;
  data: Buffer | Binary;
  created_at: Date;
}

const bytes = { type: Buffer, required: true } as const;
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
  // A tenant has one copy of a skill of the registry.
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
  // What a tenant keeps is summed up from these keys alone.
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

const uploadSchema = new Schema<UploadRecord>(
  { ...ownedFields, upload_id: requiredText, n: requiredNumber, data: bytes, created_at: requiredDate },
  options('skill_uploads'),
)
  .index({ tenant_id: 1, upload_id: 1, n: 1 })
  .index({ created_at: 1 });

/** The collections that this service owns. */
export interface SkillModels {
  readonly skills: Model<SkillRecord>;
  readonly contents: Model<ContentRecord>;
  readonly published: Model<PublishedRecord>;
  readonly uploads: Model<UploadRecord>;
}

export const skillModels = (db: Connection): SkillModels => ({
  skills: db.model<SkillRecord>('skill', skillSchema),
  contents: db.model<ContentRecord>('skill_content', contentSchema),
  published: db.model<PublishedRecord>('published_skill', publishedSchema),
  uploads: db.model<UploadRecord>('skill_upload', uploadSchema),
});

/** The bytes of a field, as the driver gives them. */
export const bytesIn = (data: Buffer | Binary): Buffer =>
  Buffer.isBuffer(data) ? data : Buffer.from(data.buffer).subarray(0, data.position);
