import { AppError } from '../../lib/errors';
import { subscriptionKeysOf } from '../../lib/subscription-keys';
import type { WorkflowStatus } from '../../contracts/workflows/views';
import type { Definition } from './definition';
import { stepWords } from './step-words';
import { timersOf } from './timers';
import type { WorkflowRecord } from './models';
import type { WebhookKey } from './webhook-key';

/** The fields of a record that a change may set; everything else follows from them. */
export type Patch = Partial<
  Pick<
    WorkflowRecord,
    | 'name'
    | 'description'
    | 'tags'
    | 'folder'
    | 'step_words'
    | 'env'
    | 'dsl'
    | 'dsl_hash'
    | 'plan_hash'
    | 'triggers'
    | 'topics'
    | 'timers'
    | 'raw_body'
    | 'signed'
    | 'dedupes'
    | 'custom_types'
    | 'refs'
    | 'secrets'
    | 'status'
    | 'enabled'
    | 'version'
    | 'webhook_key_hash'
    | 'webhook_key_tail'
  >
>;

/** What a caller asks to change; only what is given. */
export interface Edit {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly folder?: string;
  readonly env?: WorkflowRecord['env'];
  readonly definition?: Definition;
  readonly webhookKey?: WebhookKey | null;
}

/** True when the record counts for the plan's limit: it can be started. */
export const isActive = (record: Pick<WorkflowRecord, 'enabled' | 'status'>): boolean =>
  record.enabled && record.status === 'active';

/**
 * The change that an edit makes to a record as it stands. The version rises only with a DSL that differs, and only
 * such a change can need approval; equal DSL may still get a new plan, when node types have moved on.
 */
export function edited(record: WorkflowRecord, edit: Edit, statusOfNewDsl: WorkflowStatus): Patch {
  const { definition } = edit;
  return {
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.description === undefined ? {} : { description: edit.description }),
    ...(edit.tags === undefined ? {} : { tags: [...edit.tags] }),
    ...(edit.folder === undefined ? {} : { folder: edit.folder }),
    ...(edit.env === undefined ? {} : { env: edit.env }),
    ...(edit.webhookKey === undefined ? {} : webhookKeyFields(edit.webhookKey)),
    ...(definition === undefined ? {} : planFields(definition)),
    ...(definition === undefined || definition.dslHash === record.dsl_hash
      ? {}
      : {
          dsl: definition.dsl,
          dsl_hash: definition.dslHash,
          version: record.version + 1,
          // An approved workflow stays so under an admin's hand; a pending one waits for the approval itself.
          status: record.status === 'active' ? statusOfNewDsl : record.status,
        }),
  };
}

/** What a reviewer has approved, as far as they say. */
interface Reviewed {
  readonly version?: number;
  readonly dsl_hash?: string;
}

/** The change by an approval of the document that was reviewed. @throws AppError conflict where the workflow has another one */
export function approved(record: WorkflowRecord, { version, dsl_hash }: Reviewed): Patch {
  const same = (version ?? record.version) === record.version && (dsl_hash ?? record.dsl_hash) === record.dsl_hash;
  if (same) return record.status === 'active' ? {} : { status: 'active' };
  throw new AppError('conflict', 'The workflow has changed since it was reviewed; review it again', {
    body: {
      reviewed: { version: version ?? null, dsl_hash: dsl_hash ?? null },
      current: { version: record.version, dsl_hash: record.dsl_hash },
    },
  });
}

/** The fields that follow from the plan of a definition. */
export const planFields = ({
  plan,
  customTypes,
  refs,
}: Definition): Pick<
  WorkflowRecord,
  | 'step_words'
  | 'plan_hash'
  | 'triggers'
  | 'topics'
  | 'timers'
  | 'raw_body'
  | 'signed'
  | 'dedupes'
  | 'custom_types'
  | 'refs'
  | 'secrets'
> => ({
  step_words: stepWords(plan),
  plan_hash: plan.hash,
  triggers: plan.triggers.map((trigger) => trigger.type),
  topics: subscriptionKeysOf(plan.triggers),
  timers: timersOf(plan.triggers),
  raw_body: plan.triggers.some(({ type, config }) => type === 'http' && config.raw === true),
  signed: plan.triggers.some(({ type, config }) => type === 'http' && config.signature !== undefined),
  dedupes: plan.triggers.some(({ type, config }) => type === 'http' && config.dedupe !== undefined),
  custom_types: [...customTypes],
  refs: [...refs],
  secrets: [...plan.secrets],
});

/** The fields that a webhook key, or its absence, sets. */
export const webhookKeyFields = (
  key: WebhookKey | null,
): Pick<WorkflowRecord, 'webhook_key_hash' | 'webhook_key_tail'> => ({
  webhook_key_hash: key?.hash ?? null,
  webhook_key_tail: key?.tail ?? null,
});
