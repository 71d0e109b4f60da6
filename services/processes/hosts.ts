import type { ProcessStatus, HostView } from '../../contracts/processes';
import type { WorkerRow } from '../../contracts/executions/views';

/** A node of the bus. */
export interface BusNode {
  readonly id: string;
  readonly available: boolean;
  readonly hostName: string | null;
  readonly services: readonly string[];
  readonly cpuPercent: number | null;
  /** Epoch milliseconds. */
  readonly lastHeartbeatAt: number;
  readonly status: ProcessStatus | null;
}

/**
 * The nodes of the bus with what they store about their executors, by name. Executors whose node is no longer known are
 * listed while their rows are kept, unless they have left in order. Pure.
 */
export function hostViews(nodes: readonly BusNode[], workers: readonly WorkerRow[]): HostView[] {
  const known = new Set(nodes.map(({ id }) => id));
  const gone = workers.filter((row) => !known.has(row.node_id) && row.state !== 'left');
  const views = [
    ...nodes.map((node) => viewOf(node, newest(workers, node.id))),
    ...[...new Set(gone.map((row) => row.node_id))].map((id) => goneView(newest(gone, id) as WorkerRow)),
  ];
  return views.sort((a, b) => a.node_id.localeCompare(b.node_id));
}

/** A process registers again after its lease has run out, so it may have several rows; they come newest first. */
const newest = (workers: readonly WorkerRow[], nodeId: string): WorkerRow | undefined =>
  workers.find((row) => row.node_id === nodeId);

function viewOf(node: BusNode, worker: WorkerRow | undefined): HostView {
  const { status } = node;
  return {
    node_id: node.id,
    state: !node.available ? 'disconnected' : status === null ? 'silent' : 'alive',
    services: [...node.services].sort(),
    version: status?.version ?? worker?.version ?? null,
    node_version: status?.node_version ?? null,
    host_name: node.hostName,
    started_at: status?.started_at ?? null,
    last_heartbeat_at: new Date(node.lastHeartbeatAt).toISOString(),
    cpu_percent: node.available ? node.cpuPercent : null,
    memory_bytes: status?.memory_bytes ?? null,
    heap_bytes: status?.heap_bytes ?? null,
    event_loop_delay_ms: status?.event_loop_delay_ms ?? null,
    executor: worker === undefined ? null : executorOf(worker),
  };
}

const goneView = (worker: WorkerRow): HostView => ({
  node_id: worker.node_id,
  state: 'disconnected',
  services: ['executor'],
  version: worker.version,
  node_version: null,
  host_name: null,
  started_at: worker.started_at,
  last_heartbeat_at: null,
  cpu_percent: null,
  memory_bytes: null,
  heap_bytes: null,
  event_loop_delay_ms: null,
  executor: executorOf(worker),
});

const executorOf = ({ state, running, waiting, capacity, lag_ms, lease_until }: WorkerRow) => ({
  state,
  running,
  waiting,
  capacity,
  lag_ms,
  lease_until,
});
