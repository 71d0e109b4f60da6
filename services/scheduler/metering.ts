import { type Metrics, secondsOf } from '../../lib/metrics';
import { POLLERS } from '../../nodes/pollers';
import type { Polled } from '../../nodes/pollers/contract';
import type { Advance } from './claims';

/** What has become of slots of schedules. Of those that were missed, nobody has started any: they are not late. */
export function countSlots(metrics: Metrics, done: readonly Advance[]): void {
  for (const { outcome, lag_ms: lagMs } of done.flatMap(({ slots }) => slots)) {
    metrics.scheduleSlots.add(1, outcome);
    if (outcome === 'fired' || outcome === 'late') metrics.scheduleLateness.observe(secondsOf(lagMs));
  }
}

/** A source was asked. */
export function countPoll(metrics: Metrics, type: string, { kind }: Polled, tookMs: number): void {
  metrics.polls.add(1, POLLERS.has(type) ? type : 'custom', kind === 'fault' ? 'failed' : 'ok');
  metrics.pollDuration.observe(secondsOf(tookMs));
}
