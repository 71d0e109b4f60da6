import type { WorkerRow } from '../../../contracts/executions/views';
import { type BusNode, hostViews } from '../../../services/processes/hosts';

const AT = '2026-01-01T00:00:00.000Z';

const node = (id: string, given: Partial<BusNode> = {}): BusNode => ({
  id,
  available: true,
  hostName: 'machine',
  services: ['executor', 'auth'],
  cpuPercent: 3,
  lastHeartbeatAt: Date.parse(AT),
  status: {
    version: '1.0.0',
    node_version: '24.0.0',
    started_at: AT,
    event_loop_delay_ms: 1,
    memory_bytes: 5,
    heap_bytes: 4,
  },
  ...given,
});

const worker = (nodeId: string, state: WorkerRow['state'], given: Partial<WorkerRow> = {}): WorkerRow => ({
  id: `${nodeId}:1`,
  node_id: nodeId,
  version: '1.0.0',
  started_at: AT,
  lease_until: AT,
  state,
  capacity: 10,
  running: 2,
  waiting: 1,
  lag_ms: 0,
  ...given,
});

const statesOf = (nodes: BusNode[], workers: WorkerRow[]) =>
  hostViews(nodes, workers).map(({ node_id, state, executor }) => [node_id, state, executor?.state ?? null]);

describe('the list of hosts', () => {
  test('joins the nodes of the bus and the rows of executors, by name', () => {
    expect(statesOf([node('b'), node('a')], [worker('b', 'alive')])).toEqual([
      ['a', 'alive', null],
      ['b', 'alive', 'alive'],
    ]);
  });

  test('shows the newest row of a process that has registered again', () => {
    expect(statesOf([node('a')], [worker('a', 'alive'), worker('a', 'dead')])).toEqual([['a', 'alive', 'alive']]);
  });

  test('tells a node that is gone from one that does not answer', () => {
    const nodes = [node('a', { available: false, status: null }), node('b', { status: null })];
    expect(statesOf(nodes, [worker('a', 'dead')])).toEqual([
      ['a', 'disconnected', 'dead'],
      ['b', 'silent', null],
    ]);
  });

  test('has executors whose node no process knows any more, unless they left in order', () => {
    expect(statesOf([], [worker('x', 'dead'), worker('y', 'left')])).toEqual([['x', 'disconnected', 'dead']]);
  });
});
