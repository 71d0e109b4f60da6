import { type Metrics, secondsOf } from '../../lib/metrics';
import { POLLERS } from '../../nodes/pollers';
import type { Polled } from '../../nodes/pollers/contract';
import type { Advance } from './claims';

/** Counts outcomes of schedule slots. Missed slots were not started, so they are not counted as late. */
export function countSlots(metrics: Metrics, done: readonly Advance[]): void {
  for (const { outcome, lag_ms: lagMs } of done.flatMap(({ slots }) => slots)) {
    metrics.scheduleSlots.add(1, outcome);
    if (outcome === 'fired' || outcome === 'late') metrics.scheduleLateness.observe(secondsOf(lagMs));
  }
}

/** Counts a poll of a source. */
export function countPoll(metrics: Metrics, type: string, { kind }: Polled, tookMs: number): void {
  metrics.polls.add(1, POLLERS.has(type) ? type : 'custom', kind === 'fault' ? 'failed' : 'ok');
  metrics.pollDuration.observe(secondsOf(tookMs));
}
