import type { Collection, Db } from 'mongodb';
import type {
  ExecutionDocument,
  GroupDocument,
  HostDocument,
  JournalDocument,
  LedgerDocument,
  OutputDocument,
  PayloadDocument,
  SignalDocument,
} from './documents';

/** The collections of the runtime. Durable writes, but for a cache: acknowledged by a majority, and on disk. */
export interface Collections {
  readonly executions: Collection<ExecutionDocument>;
  readonly journal: Collection<JournalDocument>;
  readonly signals: Collection<SignalDocument>;
  readonly payloads: Collection<PayloadDocument>;
  readonly hosts: Collection<HostDocument>;
  readonly slots: Collection<LedgerDocument>;
  readonly groups: Collection<GroupDocument>;
  readonly outputs: Collection<OutputDocument>;
}

const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export function openCollections(db: Db): Collections {
  return {
    executions: db.collection('executions', DURABLE),
    journal: db.collection('journal', DURABLE),
    signals: db.collection('signals', DURABLE),
    payloads: db.collection('payloads', DURABLE),
    hosts: db.collection('hosts', DURABLE),
    slots: db.collection('slots', DURABLE),
    groups: db.collection('groups', DURABLE),
    outputs: db.collection('step_cache'),
  };
}

/** Makes the indexes; safe to repeat, and from several processes at once. */
export async function ensureIndexes({ executions, hosts, slots, outputs }: Collections): Promise<void> {
  await executions.createIndexes([
    // Claims, adoption and the next wake-up: only the few runs that have not ended.
    { key: { owner: 1, wake_at: 1 }, name: 'unended_by_owner', partialFilterExpression: { status: 'running' } },
    // A backlog is looked through tenant by tenant. A run that is begun and ended by one host is never in it.
    {
      key: { tenant_id: 1, wake_at: 1 },
      name: 'unowned_by_tenant',
      partialFilterExpression: { status: 'running', owner: null },
    },
    { key: { tenant_id: 1, started_at: 1 }, name: 'parked', partialFilterExpression: { parked: true } },
    // Who of a group comes next; only the few unended runs that have one.
    {
      key: { 'concurrency.group': 1, started_at: 1, _id: 1 },
      name: 'unended_by_group',
      partialFilterExpression: { status: 'running', 'concurrency.group': { $exists: true } },
    },
    // What a crash has kept from being done after an end: hardly ever anything.
    { key: { ended_at: 1 }, name: 'unsettled', partialFilterExpression: { 'outbox.0': { $exists: true } } },
    // Lists and figures: newest first. Ids are no order of time where they are derived from a key.
    { key: { tenant_id: 1, started_at: -1, _id: -1 }, name: 'by_tenant_newest' },
    { key: { workflow_id: 1, started_at: -1, _id: -1 }, name: 'by_workflow_newest' },
  ]);
  await slots.createIndex({ 'shares.host': 1 }, { name: 'by_host' });
  await outputs.createIndexes([
    { key: { until: 1 }, name: 'over', expireAfterSeconds: 0 },
    { key: { workflow_id: 1 }, name: 'by_workflow' },
  ]);
  await hosts.createIndex({ state: 1, lease_until: 1 }, { name: 'by_lease' });
}

/** Bounds of the ids that begin with `<executionId>:`. `;` follows `:`. */
export const idRange = (executionId: string): { $gte: string; $lt: string } => ({
  $gte: `${executionId}:`,
  $lt: `${executionId};`,
});

/** The duplicate-key error of an insert. */
export const isDuplicate = (fault: unknown): boolean =>
  typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 11000;
