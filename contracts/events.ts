import { TENANT_EVENTS } from './tenant-events';
import { type ParamsOfRules, type Rules, id, staleParams } from './rules';

/** An event between services. Delivery is at most once, so receivers must not depend on it. */
interface EventContract {
  readonly summary: string;
  /** Sent to subscribed nodes of integrators. Without it, the event is sent only to processes of the service. */
  readonly integrators?: true;
  readonly params: Rules;
}

const events = <const E extends Readonly<Record<string, EventContract>>>(given: E): E => given;

const text = (max: number) => ({ type: 'string', max }) as const;
const count = { type: 'number', integer: true, min: 0 } as const;

export const EVENTS = events({
  'cache.stale': {
    summary: 'Within one process: cached answers that one of the patterns names are stale',
    params: staleParams,
  },
  'execution.watch': {
    summary:
      'To all hosts: the node subscribes to these runs for the next 30 seconds; `said`: also to the output that their last steps stream',
    params: { ids: { type: 'array', items: id, max: 1_000 }, node: id, said: { type: 'boolean', optional: true } },
  },
  'execution.moved': {
    summary: 'To the nodes that follow a run: it has new records',
    params: { id: text(100), ended: { type: 'boolean', optional: true } },
  },
  'execution.changed': {
    integrators: true,
    summary:
      'To nodes of integrators that have called `executions.subscribe`: a run of their tenant has a new record, or has ended (`status`)',
    params: {
      tenant_id: id,
      execution_id: id,
      workflow_id: id,
      status: { type: 'enum', values: ['running', 'completed', 'failed', 'cancelled'] },
      at: text(30),
      signature: text(100),
    },
  },
  'execution.subscribe': {
    summary: 'To all hosts: the node of an integrator subscribes to the runs of this tenant for the next 30 seconds',
    params: { tenant_id: id, node: text(300) },
  },
  'execution.said': {
    summary:
      'To the nodes that follow a run: a piece of the text that a step makes; `take` changes when the text begins anew, `at` counts the characters before the piece',
    params: { id: text(100), step_id: text(100), take: text(100), at: count, text: text(1_000_000) },
  },
  'tenant.watch': {
    summary: 'To all services: the node subscribes to the events of these tenants for the next 30 seconds',
    params: { tenant_ids: { type: 'array', items: id, max: 1_000 }, node: text(300) },
  },
  'tenant.changed': {
    summary:
      'To nodes that subscribe to a tenant: a run started or ended, an approval waits or is decided, a workflow or a knowledge base changed, deliveries were recorded',
    params: {
      tenant_id: id,
      event: { type: 'enum', values: [...TENANT_EVENTS] },
      at: text(30),
      execution_id: { ...text(100), optional: true },
      workflow_id: { ...text(100), optional: true },
      workflow_name: { ...text(1_000), optional: true },
      trigger_type: { ...text(100), optional: true },
      status: { type: 'enum', values: ['running', 'completed', 'failed', 'cancelled'], optional: true },
      step_id: { ...text(300), optional: true },
      approved: { type: 'boolean', optional: true },
      change: { type: 'enum', values: ['created', 'updated', 'deleted'], optional: true },
      knowledge_base_id: { ...text(100), optional: true },
    },
  },
  'audit.appended': {
    summary: 'To one process with the audit service: events were added to the logs of these tenants',
    params: { tenant_ids: { type: 'array', items: id, max: 1_000 } },
  },
  'executor.mail': { summary: 'To the host that owns a run: there may be new messages for it', params: { id } },
  'executor.wake': {
    summary: 'To hosts: a run may be due; `run`: this one is, as far as the sender knows',
    params: {
      run: {
        type: 'object',
        optional: true,
        props: {
          id,
          tenantId: id,
          epoch: count,
          since: 'number',
          deadlineAt: { type: 'number', nullable: true },
          cancelling: 'boolean',
          parked: 'boolean',
          claims: { ...count, optional: true },
        },
      },
    },
  },
});

export type EventName = keyof typeof EVENTS;
export type EventData<E extends EventName> = ParamsOfRules<(typeof EVENTS)[E]['params']>;

/** Event group of the followers of runs on one node. */
export const watchGroup = (nodeId: string): string => `watch@${nodeId}`;

/** Event group of the host of executions on one node. */
export const hostGroup = (nodeId: string): string => `executor@${nodeId}`;
