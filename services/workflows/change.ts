import { topicsOf } from '../../mixins/topics';
import type { WorkflowStatus } from './contract';
import type { Definition } from './definition';
import { timersOf } from './timers';
import type { WorkflowRecord } from './models';
import type { WebhookKey } from './webhook-key';

/** The fields of a record that a change may set; everything else follows from them. */
export type Patch = Partial<
  Pick<
    WorkflowRecord,
    | 'name'
    | 'description'
    | 'env'
    | 'dsl'
    | 'dsl_hash'
    | 'plan_hash'
    | 'triggers'
    | 'topics'
    | 'timers'
    | 'raw_body'
    | 'custom_types'
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

/** The fields that follow from the plan of a definition. */
export const planFields = ({
  plan,
  customTypes,
}: Definition): Pick<
  WorkflowRecord,
  'plan_hash' | 'triggers' | 'topics' | 'timers' | 'raw_body' | 'custom_types' | 'secrets'
> => ({
  plan_hash: plan.hash,
  triggers: plan.triggers.map((trigger) => trigger.type),
  topics: topicsOf(plan.triggers),
  timers: timersOf(plan.triggers),
  raw_body: plan.triggers.some(({ type, config }) => type === 'http' && config.raw === true),
  custom_types: [...customTypes],
  secrets: [...plan.secrets],
});

/** The fields that a webhook key, or its absence, sets. */
export const webhookKeyFields = (
  key: WebhookKey | null,
): Pick<WorkflowRecord, 'webhook_key_hash' | 'webhook_key_tail'> => ({
  webhook_key_hash: key?.hash ?? null,
  webhook_key_tail: key?.tail ?? null,
});
