import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Collections } from './collections';

/** Filters of partial indexes. A query uses such an index only if it contains the filter's conditions. */
export const CHILD = { 'parent.execution_id': { $gt: '' } } as const;
const RUNNING_CHILD = { status: 'running', ...CHILD } as const;
const RUNNING_REPEAT = { status: 'running', 'preload.execution_id': { $gt: '' } } as const;
/** Runs that used language models. */
export const WITH_TOKENS = { tokens: { $gt: 0 } } as const;
/** Runs that have ended. */
export const WITH_STEPS = { steps: { $gt: 0 } } as const;

/** Name of the index to hint at where MongoDB would choose `unended_by_owner` and scan the runs of all other tenants. */
export const UNOWNED_BY_TENANT = 'unowned_by_tenant';

interface Index {
  /** The queries that need it. */
  readonly purpose: string;
  readonly name: string;
  readonly key: IndexSpecification;
  readonly options?: CreateIndexesOptions;
}

const partial = (partialFilterExpression: CreateIndexesOptions['partialFilterExpression']): CreateIndexesOptions => ({
  partialFilterExpression,
});

/** States that few runs are in, each with an index of its own: completed runs are the rest. */
const COUNTED_STATES = ['running', 'failed', 'cancelled'] as const;

/** Every index of the collections of the runtime. */
const INDEXES: { readonly [Name in keyof Collections]?: readonly Index[] } = {
  executions: [
    {
      purpose: 'Claims, runs of dead hosts, the next wake-up. Holds only the few runs that have not ended.',
      name: 'unended_by_owner',
      key: { owner: 1, wake_at: 1 },
      options: partial({ status: 'running' }),
    },
    {
      purpose: 'Due runs by tenant. A run that starts and ends on one host is never in it.',
      name: UNOWNED_BY_TENANT,
      key: { tenant_id: 1, wake_at: 1 },
      options: partial({ status: 'running', owner: null }),
    },
    {
      purpose: 'Lists of waiting runs. A run is in it from its first wait to its end.',
      name: 'waiting_by_tenant',
      key: { tenant_id: 1, _id: 1 },
      options: partial({ status: 'running', 'waiting.0': { $exists: true } }),
    },
    {
      purpose: 'Parked runs, oldest first.',
      name: 'parked',
      key: { tenant_id: 1, started_at: 1 },
      options: partial({ parked: true }),
    },
    {
      purpose: 'The next waiters of a concurrency group.',
      name: 'unended_by_group',
      key: { 'concurrency.group': 1, started_at: 1, _id: 1 },
      options: partial({ status: 'running', 'concurrency.group': { $exists: true } }),
    },
    {
      purpose: 'Outboxes that a crash left unprocessed; nearly always empty.',
      name: 'unsettled',
      key: { ended_at: 1 },
      options: partial({ 'outbox.0': { $exists: true } }),
    },
    {
      purpose: 'Lists and statistics of a tenant, newest first. Ids derived from a key do not sort by time.',
      name: 'by_tenant_newest',
      key: { tenant_id: 1, started_at: -1, _id: -1 },
    },
    {
      purpose: 'Lists and statistics of a workflow, newest first.',
      name: 'by_workflow_newest',
      key: { workflow_id: 1, started_at: -1, _id: -1 },
    },
    {
      purpose: 'Retention: running children still need their parent.',
      name: 'unended_by_parent',
      key: { 'parent.execution_id': 1 },
      options: partial(RUNNING_CHILD),
    },
    {
      purpose: 'Retention: running repeats still need the run that they repeat.',
      name: 'unended_by_preload',
      key: { 'preload.execution_id': 1 },
      options: partial(RUNNING_REPEAT),
    },
    {
      purpose: 'Usage: children do not count towards the monthly quota. Holds children only.',
      name: 'children_by_tenant',
      key: { tenant_id: 1, started_at: 1, 'parent.execution_id': 1 },
      options: partial(CHILD),
    },
    ...COUNTED_STATES.map((status) => ({
      purpose: `Daily statistics: ${status} runs.`,
      name: `${status}_by_tenant`,
      key: { tenant_id: 1, started_at: 1 } as const,
      options: partial({ status }),
    })),
    {
      purpose: 'Daily statistics: tokens and costs, read from index keys alone.',
      name: 'tokens_by_tenant',
      key: { tenant_id: 1, started_at: 1, tokens: 1, cost_usd: 1 },
      options: partial(WITH_TOKENS),
    },
    {
      purpose: 'Daily statistics: steps, read from index keys alone.',
      name: 'steps_by_tenant',
      key: { tenant_id: 1, started_at: 1, steps: 1 },
      options: partial(WITH_STEPS),
    },
  ],
  slots: [{ purpose: 'Slots of a host that expired.', name: 'by_host', key: { 'shares.host': 1 } }],
  outputs: [
    { purpose: 'Removes expired outputs.', name: 'over', key: { until: 1 }, options: { expireAfterSeconds: 0 } },
    { purpose: 'Removes the outputs of a deleted workflow.', name: 'by_workflow', key: { workflow_id: 1 } },
  ],
  hosts: [{ purpose: 'Hosts whose leases have expired.', name: 'by_lease', key: { state: 1, lease_until: 1 } }],
};

/** Creates the indexes; safe to repeat, and from several processes at once. */
export async function ensureIndexes(collections: Collections): Promise<void> {
  for (const [name, indexes] of Object.entries(INDEXES))
    await collections[name as keyof Collections].createIndexes(
      indexes.map(({ name: indexName, key, options }) => ({ name: indexName, key, ...options }) as never),
    );
}
