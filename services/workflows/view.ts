import type { ErrorDetail } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import type { StartSnapshot, WorkflowKeyView, WorkflowView } from '../../contracts/workflows/views';
import type { WorkflowKeyRecord, WorkflowRecord } from './models';

/** What a view shows beside the record: a webhook key that has just been made, and warnings about the DSL. */
interface ViewExtras {
  readonly webhookKey?: string | null;
  readonly warnings?: readonly ErrorDetail[];
}

/** The document of a record, which keeps it as the text of an object. In slices, as it may have 6 MiB. */
export const documentOf = async ({ dsl }: { readonly dsl: string }): Promise<JsonObject> =>
  (await parseJsonSliced(dsl, NO_LIMITS)) as JsonObject;

/** The record as its tenant sees it. */
export const toView = async (record: WorkflowRecord, extras: ViewExtras = {}): Promise<WorkflowView> => ({
  id: record._id,
  tenant_id: record.tenant_id,
  name: record.name,
  description: record.description,
  tags: record.tags ?? [],
  folder: record.folder ?? '',
  env: record.env,
  dsl: await documentOf(record),
  dsl_hash: record.dsl_hash,
  status: record.status,
  enabled: record.enabled,
  version: record.version,
  webhook_api_key: extras.webhookKey ?? maskedKey(record),
  webhook_api_key_set: record.webhook_key_hash !== null,
  created_by: record.created_by,
  created_at: record.created_at.toISOString(),
  updated_at: record.updated_at.toISOString(),
  ...(extras.warnings === undefined || extras.warnings.length === 0 ? {} : { warnings: [...extras.warnings] }),
});

/** The fields that a start needs; the DSL, which may be large, is not among them. */
export const STARTABLE_FIELDS = [
  'tenant_id',
  'name',
  'env',
  'status',
  'enabled',
  'triggers',
  'plan_hash',
  'secrets',
  'webhook_key_hash',
  'raw_body',
  'signed',
  'dedupes',
] as const satisfies readonly (keyof WorkflowRecord)[];

export const toStartable = (
  record: Pick<WorkflowRecord, '_id' | (typeof STARTABLE_FIELDS)[number]>,
): StartSnapshot => ({
  id: record._id,
  tenant_id: record.tenant_id,
  name: record.name,
  env: record.env,
  status: record.status,
  enabled: record.enabled,
  triggers: record.triggers,
  plan_hash: record.plan_hash,
  secrets: record.secrets,
  webhook_key_hash: record.webhook_key_hash,
  // Absent in records that are older than the settings.
  raw_body: record.raw_body ?? false,
  signed: record.signed ?? false,
  dedupes: record.dedupes ?? false,
});

export const toKeyView = (record: WorkflowKeyRecord): WorkflowKeyView => ({
  id: record._id,
  name: record.name,
  prefix: record.prefix,
  created_at: record.created_at.toISOString(),
  last_used_at: record.last_used_at?.toISOString() ?? null,
});

const maskedKey = (record: WorkflowRecord): string | null =>
  record.webhook_key_hash === null ? null : `********${record.webhook_key_tail ?? ''}`;
