import { contract } from './contract';
import * as s from '../lib/schema';

/** What a process says of itself. */
export interface ProcessStatus {
  started_at: string;
  event_loop_delay_ms: number;
  memory_bytes: number;
  heap_bytes: number;
  version: string;
  /** Of Node.js. */
  node_version: string;
}

export const DEPENDENCIES = ['bus', 'database', 'mail', 'qdrant', 'redis'] as const;

const DependencyState = s.named(
  'DependencyState',
  s.words('not_configured', 'ready', 'unavailable'),
  'What a process finds when it uses a dependency.',
);

/** A dependency, as one process finds it. */
export interface DependencyCheck {
  name: (typeof DEPENDENCIES)[number];
  state: s.Infer<typeof DependencyState>;
  /** Without passwords; null when it is ready. */
  reason: string | null;
}

const HostExecutor = s.named(
  'HostExecutor',
  s.object({
    state: s.words('alive', 'dead', 'draining', 'left').about('`dead`: its lease has run out.'),
    running: s.number,
    waiting: s.number.about('Runs in memory that wait.'),
    capacity: s.number,
    lag_ms: s.number.about('The longest time between a run becoming due and its claim.'),
    lease_until: s.text,
  }),
  'What a process that hosts executions stores about itself with each renewal of its lease.',
);

export const HostView = s.named(
  'HostView',
  s.object({
    node_id: s.text,
    state: s
      .words('alive', 'disconnected', 'silent')
      .about(
        '`silent`: connected, but it did not answer in two seconds. `disconnected`: no heartbeat arrives any more.',
      ),
    services: s.array(s.text),
    version: s.text.nullable(),
    node_version: s.text.nullable(),
    host_name: s.text.nullable(),
    started_at: s.text.nullable(),
    last_heartbeat_at: s.text.nullable(),
    cpu_percent: s.number.nullable(),
    memory_bytes: s.number.nullable().about('Resident memory.'),
    heap_bytes: s.number.nullable(),
    event_loop_delay_ms: s.number.nullable().about('The 99th percentile of the last minute or two.'),
    executor: HostExecutor.nullable(),
  }),
  'A process of the installation. Null: not known, since it does not answer.',
);
export type HostView = s.Infer<typeof HostView>;

export const DependencyView = s.named(
  'DependencyView',
  s.object({
    name: s.words(...DEPENDENCIES),
    state: DependencyState.about('The worst of all processes that use it.'),
    faults: s.array(s.object({ node_id: s.text, reason: s.text })),
  }),
  'What the processes of the installation need.',
);
export type DependencyView = s.Infer<typeof DependencyView>;

/** Runs in every process. */
export const processesContract = contract('processes', {
  status: {
    access: 'internal',
    repeatable: true,
    summary: 'What this process says of itself',
    params: {},
    result: s.typed<ProcessStatus>(),
  },
  check: {
    access: 'internal',
    repeatable: true,
    summary: 'Which dependencies this process can use',
    params: {},
    result: s.typed<{ data: DependencyCheck[] }>(),
  },
  hosts: {
    rest: 'GET /api/v1/operator/hosts',
    access: 'operator',
    repeatable: true,
    summary: 'The processes of the installation, with their load',
    params: {},
    result: s.object({ hosts: s.array(HostView) }),
  },
  readiness: {
    rest: 'GET /api/v1/operator/readiness',
    access: 'operator',
    repeatable: true,
    summary: 'Which dependencies the processes of the installation can use',
    description: 'Each process checks for itself. `silent`: processes that did not answer.',
    params: {},
    result: s.object({ dependencies: s.array(DependencyView), silent: s.array(s.text) }),
  },
});
