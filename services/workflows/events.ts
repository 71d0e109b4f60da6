import type { JsonObject } from '../../lib/json';
import type { AuditTarget, Recorded } from '../../mixins/audit';
import type { Patch } from './change';
import type { WorkflowRecord } from './models';

/** How a change of a workflow gets on record. */
export interface OnRecord {
  readonly action: `workflow.${string}` | `webhook_key.${string}`;
  readonly recorded: Recorded;
  /** Further fields of the audit event. */
  readonly more?: JsonObject;
}

const MAX_DESCRIPTION_CHARS = 1_000;

type PublishedFields = Pick<
  WorkflowRecord,
  | 'name'
  | 'description'
  | 'tags'
  | 'folder'
  | 'env'
  | 'dsl_hash'
  | 'version'
  | 'status'
  | 'enabled'
  | 'webhook_key_hash'
>;

export const workflowTarget = ({ _id, name }: Pick<WorkflowRecord, '_id' | 'name'>): AuditTarget => ({
  type: 'workflow',
  id: _id,
  name,
});

/** What the log keeps of a workflow. The document is not among it, since people write credentials into documents. */
export const stateOf = (record: PublishedFields): JsonObject => ({
  name: record.name,
  description: record.description.slice(0, MAX_DESCRIPTION_CHARS),
  tags: (record.tags ?? []).join(', '),
  folder: record.folder ?? '',
  env: record.env,
  dsl_hash: record.dsl_hash,
  version: record.version,
  status: record.status,
  enabled: record.enabled,
  webhook_api_key_set: record.webhook_key_hash !== null,
});

/** What a patch changes in a record, before and after. Of a key no more than that it is another one. */
export function difference(record: PublishedFields, patch: Patch): { before: JsonObject; after: JsonObject } {
  const [before, after] = [stateOf(record), stateOf({ ...record, ...patch })];
  const changed = Object.keys(after).filter((field) => before[field] !== after[field]);
  const newKey = patch.webhook_key_hash !== undefined && patch.webhook_key_hash !== record.webhook_key_hash;
  return {
    before: pick(before, changed),
    after: { ...pick(after, changed), ...(newKey ? { webhook_api_key_changed: true } : {}) },
  };
}

const pick = (state: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [field, state[field] ?? null]));
