import { TRIGGER_TYPES } from '../../dsl';
import { secondsOf, type Metrics } from '../../lib/metrics';
import { nodes } from '../../nodes';
import type { Meters } from '../../runtime/execution/meters';
import type { Host } from '../../runtime/worker/host';
import type { Execution, Waiting } from '../../runtime/core/model';
import type { StepResources } from './step-resources';
import type { Records } from './records';

/** Limit of the count: a larger backlog is not counted exactly. */
const READY_COUNTED = 1_000;

/** Waiting runs are read, not counted, so they are sampled and not read at each scrape. */
const WAITING_COUNTED = 5_000;
const WAITING_EACH_MS = 30_000;

/** Label values that are exported with 0 from the start. */
const WAITS: readonly Waiting['kind'][] = [
  'approval',
  'form',
  'signal',
  'timer',
  'retry',
  'child',
  'slot',
  'capacity',
  'connection',
  'throttle',
  'debounce',
  'batch',
];

/** The label value of all custom types and triggers, whose number is unbounded. */
const CUSTOM = 'custom';

/** Starts without a trigger of the workflow. */
const OTHER_CAUSES: ReadonlySet<string> = new Set(['api', 'retry', 'test', 'trial', 'sub_workflow']);

/** Metrics of the runs of a host. */
export const metersOf = (metrics: Metrics): Meters => ({
  stepEnded(type, outcome, tookMs) {
    const name = nodes.types.has(type) ? type : (nodes.aliases.get(type) ?? CUSTOM);
    metrics.steps.add(1, name, outcome);
    metrics.stepDuration.observe(secondsOf(tookMs), name);
  },
  recorded(entries, json) {
    metrics.journalEntries.add(entries);
    if (metrics.on) metrics.journalBytes.add(Buffer.byteLength(json));
  },
  flushed: (tookMs) => metrics.journalFlush.observe(secondsOf(tookMs)),
  timerFired: (lateMs) => metrics.timerLateness.observe(secondsOf(lateMs)),
  claimed: (lagMs) => metrics.claimLag.observe(secondsOf(lagMs)),
  leaseRenewed: (result) => metrics.leaseRenewals.add(1, result),
  takenOver: (runs) => metrics.takenOver.add(runs),
  poisoned: () => metrics.executionsPoisoned.add(1),
  heldThread: (tookMs) => metrics.threadHeld.observe(secondsOf(tookMs)),
  left: (verdict) => metrics.stays.add(1, verdict),
});

/** Counts an accepted run. */
export const countStart = (metrics: Metrics, triggerType: string): void =>
  metrics.executionsStarted.add(
    1,
    TRIGGER_TYPES.has(triggerType) || OTHER_CAUSES.has(triggerType) ? triggerType : CUSTOM,
  );

/** Counts an ended run. */
export function countEnd(
  metrics: Metrics,
  { startedAt }: Execution,
  { status, endedAt }: { status: string; endedAt: number },
): void {
  metrics.executionsEnded.add(1, status);
  metrics.executionDuration.observe(secondsOf(endedAt - startedAt), status);
}

/** Counts the waiting runs that no host has in memory, by reason. */
async function countWaiting(metrics: Metrics, { collections }: Records): Promise<void> {
  const waiting = collections.executions
    .find({ status: 'running', owner: null }, { projection: { 'waiting.kind': 1 } })
    .limit(WAITING_COUNTED);
  const counts = new Map<string, number>(WAITS.map((kind) => [kind, 0]));
  for await (const run of waiting) for (const { kind } of run.waiting) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) metrics.executionsWaiting.set(count, kind);
}

/** Updates the metrics of a host before each scrape. Returns a function that stops it. */
export function collectHostMetrics(
  metrics: Metrics,
  host: Host,
  resources: StepResources,
  capacity: number,
  records: Records,
): () => void {
  const { executions } = records.collections;
  let lookedAt = Number.NEGATIVE_INFINITY;
  metrics.executorCapacity.set(capacity);
  return metrics.onCollect(async () => {
    const { running, idle } = host;
    metrics.executionsInMemory.set(running - idle, 'running');
    metrics.executionsInMemory.set(idle, 'waiting');
    metrics.executorLoad.set(running / capacity);
    const connections = resources.connections();
    metrics.databaseConnections.set(connections.open - connections.idle, 'busy');
    metrics.databaseConnections.set(connections.idle, 'idle');
    const due = { status: 'running', owner: null, wake_at: { $lte: new Date() } } as const;
    metrics.executionsReady.set(await executions.countDocuments(due, { limit: READY_COUNTED }));
    if (performance.now() - lookedAt < WAITING_EACH_MS) return;
    lookedAt = performance.now();
    await countWaiting(metrics, records);
  });
}
