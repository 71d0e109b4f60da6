import type { CreateIndexesOptions, IndexSpecification } from 'mongodb';
import type { Collections } from './collections';

/** Filters of partial indexes. A query uses such an index only if it contains the filter's conditions. */
export const CHILD = { 'parent.execution_id': { $gt: '' } } as const;
const RUNNING_CHILD = { status: 'running', ...CHILD } as const;
const RUNNING_REPEAT = { status: 'running', 'preload.execution_id': { $gt: '' } } as const;
/** Name of the index to hint at where MongoDB would choose `unended_by_owner` and scan the runs of all other tenants. */
export const UNOWNED_BY_TENANT = 'unowned_by_tenant';
/** Names of indexes to hint at where another one holds more fields of the filter, but not the order. */
const BY_TENANT_NEWEST = 'by_tenant_newest';
const BY_TENANT_LABEL = 'by_tenant_label';
export const BY_WORKFLOW_NEWEST = 'by_workflow_newest';

/** Name of the index to hint at where the ids of a run would be read with all messages that it has consumed. */
export const UNCONSUMED_MESSAGES = 'unconsumed';

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
      purpose: 'Parked runs, by rank. Runs of versions without ranks come first.',
      name: 'parked_by_rank',
      key: { tenant_id: 1, rank: 1, started_at: 1 },
      options: partial({ parked: true }),
    },
    {
      purpose: 'The next waiters of a concurrency group.',
      name: 'unended_by_group_rank',
      key: { 'concurrency.group': 1, rank: 1, started_at: 1, _id: 1 },
      options: partial({ status: 'running', 'concurrency.group': { $exists: true } }),
    },
    {
      purpose: 'The next runs of a throttle. Holds waiting runs only.',
      name: 'throttled',
      key: { 'throttle.window': 1, rank: 1, started_at: 1, _id: 1 },
      options: partial({ status: 'running', 'throttle.passed': false }),
    },
    {
      purpose: 'Outboxes that a crash left unprocessed; nearly always empty.',
      name: 'unsettled',
      key: { ended_at: 1 },
      options: partial({ 'outbox.0': { $exists: true } }),
    },
    {
      purpose: 'Lists of a tenant, newest first, and its runs of a day. Ids derived from a key do not sort by time.',
      name: BY_TENANT_NEWEST,
      key: { tenant_id: 1, started_at: -1, _id: -1 },
    },
    {
      purpose: 'Lists and statistics of a workflow, newest first.',
      name: BY_WORKFLOW_NEWEST,
      key: { workflow_id: 1, started_at: -1, _id: -1 },
    },
    {
      purpose: 'Runs with a label, newest first. Holds runs with labels only, once for each label.',
      name: BY_TENANT_LABEL,
      key: { tenant_id: 1, labels: 1, started_at: -1, _id: -1 },
      options: partial({ labels: { $exists: true } }),
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
      purpose: 'Retention: trials, which are removed early. Holds trials only.',
      name: 'trials_by_tenant',
      key: { tenant_id: 1, started_at: 1, _id: 1 },
      options: partial({ trial: true }),
    },
    {
      purpose: 'Usage: children do not count towards the monthly quota. Holds children only.',
      name: 'children_by_tenant',
      key: { tenant_id: 1, started_at: 1, 'parent.execution_id': 1 },
      options: partial(CHILD),
    },
    {
      purpose:
        'Lists by status, waiting runs, and daily statistics: runs by status, and the sums of steps, tokens and costs, ' +
        'which MongoDB reads from index keys alone.',
      name: 'by_tenant_status',
      key: { tenant_id: 1, status: 1, started_at: -1, _id: -1, steps: 1, tokens: 1, cost_usd: 1 },
    },
  ],
  signals: [
    {
      purpose: 'The messages of a run that no step has consumed, whatever number it has consumed before.',
      name: UNCONSUMED_MESSAGES,
      key: { taken: 1, _id: 1 },
    },
  ],
  slots: [{ purpose: 'Slots of a host that expired.', name: 'by_host', key: { 'shares.host': 1 } }],
  windows: [
    {
      purpose: 'Removes windows that count no more.',
      name: 'over',
      key: { until: 1 },
      options: { expireAfterSeconds: 0 },
    },
  ],
  gatherings: [
    {
      purpose: 'Removes slots whose last runs have begun.',
      name: 'over',
      key: { until: 1 },
      options: { expireAfterSeconds: 0 },
    },
  ],
  startMarks: [
    {
      purpose: 'Removes marks of starts that are not repeated any more.',
      name: 'over',
      key: { until: 1 },
      options: { expireAfterSeconds: 0 },
    },
  ],
  outputs: [
    { purpose: 'Removes expired outputs.', name: 'over', key: { until: 1 }, options: { expireAfterSeconds: 0 } },
    { purpose: 'Removes the outputs of a deleted workflow.', name: 'by_workflow', key: { workflow_id: 1 } },
  ],
  hosts: [{ purpose: 'Hosts whose leases have expired.', name: 'by_lease', key: { state: 1, lease_until: 1 } }],
};

/** Indexes of `executions` in earlier versions, which others replace. */
const FORMER = [
  'parked',
  'unended_by_group',
  'waiting_by_tenant',
  'running_by_tenant',
  'failed_by_tenant',
  'cancelled_by_tenant',
  'tokens_by_tenant',
  'steps_by_tenant',
];

/** Creates the indexes and drops former ones; safe to repeat, and from several processes at once. */
export async function ensureIndexes(collections: Collections): Promise<void> {
  for (const [name, indexes] of Object.entries(INDEXES))
    await collections[name as keyof Collections].createIndexes(
      indexes.map(({ name: indexName, key, options }) => ({ name: indexName, key, ...options }) as never),
    );
  const known = new Set((await collections.executions.indexes()).map(({ name }) => name));
  for (const name of FORMER.filter((each) => known.has(each)))
    await collections.executions.dropIndex(name).catch((fault: unknown) => {
      // IndexNotFound: another process has dropped it.
      if ((fault as { code?: unknown }).code !== 27) throw fault;
    });
}
