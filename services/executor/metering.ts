import { TRIGGER_TYPES } from '../../dsl';
import { secondsOf, type Metrics } from '../../lib/metrics';
import { nodes } from '../../nodes';
import type { Meters } from '../../runtime/actor/meters';
import type { Host } from '../../runtime/host/host';
import type { Execution, Waiting } from '../../runtime/store/port';
import type { Records } from './records';

/** Backlogs are not counted further: more says nothing more. */
const READY_COUNTED = 1_000;

/** Waiting runs are read rather than counted, so not at each scrape, and not all of a million. */
const WAITING_COUNTED = 5_000;
const WAITING_EACH_MS = 30_000;

/** Each is there from the start, so that none which waits for it is told as none. */
const WAITS: readonly Waiting['kind'][] = ['approval', 'signal', 'timer', 'retry', 'child', 'slot', 'capacity'];

/** Types and triggers that tenants make share a name: there is no end to them. */
const CUSTOM = 'custom';

/** Not by a trigger of the workflow. */
const OTHER_CAUSES: ReadonlySet<string> = new Set(['api', 'retry', 'test', 'sub_workflow']);

/** What the actors of a host tell, as metrics. */
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
  left: (verdict) => metrics.stays.add(1, verdict),
});

/** A run was accepted. */
export const countStart = (metrics: Metrics, triggerType: string): void =>
  metrics.executionsStarted.add(
    1,
    TRIGGER_TYPES.has(triggerType) || OTHER_CAUSES.has(triggerType) ? triggerType : CUSTOM,
  );

/** A run has ended. */
export function countEnd(
  metrics: Metrics,
  { startedAt }: Execution,
  { status, endedAt }: { status: string; endedAt: number },
): void {
  metrics.executionsEnded.add(1, status);
  metrics.executionDuration.observe(secondsOf(endedAt - startedAt), status);
}

/** What runs of all hosts wait for that none has in memory. */
async function lookAtWaiting(metrics: Metrics, { collections }: Records): Promise<void> {
  const waiting = collections.executions
    .find({ status: 'running', owner: null }, { projection: { 'waiting.kind': 1 } })
    .limit(WAITING_COUNTED);
  const counts = new Map<string, number>(WAITS.map((kind) => [kind, 0]));
  for await (const run of waiting) for (const { kind } of run.waiting) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, count] of counts) metrics.executionsWaiting.set(count, kind);
}

/** What is looked at before each scrape; the answer ends that. */
export function lookAtHost(metrics: Metrics, host: Host, capacity: number, records: Records): () => void {
  const { executions } = records.collections;
  let lookedAt = Number.NEGATIVE_INFINITY;
  metrics.executorCapacity.set(capacity);
  return metrics.sampled(async () => {
    const { running, idle } = host;
    metrics.executionsInMemory.set(running - idle, 'running');
    metrics.executionsInMemory.set(idle, 'waiting');
    metrics.executorLoad.set(running / capacity);
    const due = { status: 'running', owner: null, wake_at: { $lte: new Date() } } as const;
    metrics.executionsReady.set(await executions.countDocuments(due, { limit: READY_COUNTED }));
    if (performance.now() - lookedAt < WAITING_EACH_MS) return;
    lookedAt = performance.now();
    await lookAtWaiting(metrics, records);
  });
}
