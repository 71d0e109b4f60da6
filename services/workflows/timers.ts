import type { PlanTrigger } from '../../dsl';
import { parseDuration } from '../../lib/duration';
import type { Json } from '../../lib/json';
import type { MissedPolicy, OverlapPolicy, Timer } from '../scheduler/contract';

/** What a schedule does where its author says nothing: the last of the starts that it missed, if that is not long ago. */
const MISSED: MissedPolicy = 'last';
const WINDOW_MS = 3_600_000;
const OVERLAP: OverlapPolicy = 'allow';

/** The `schedule` triggers among a workflow's triggers, each as JSON text: equal texts mean the same times. */
export const timersOf = (triggers: readonly PlanTrigger[]): string[] =>
  triggers.flatMap(({ type, config }, index) => {
    if (type !== 'schedule') return [];
    // The language has checked the settings when the workflow was saved.
    const { cron, every, timezone, jitter, missed, window, overlap } = config;
    const timer: Timer = {
      index,
      cron: textOf(cron),
      every: every === undefined ? null : String(every),
      every_ms: parseDuration(every),
      timezone: textOf(timezone) ?? 'UTC',
      jitter_ms: parseDuration(jitter) ?? 0,
      missed: (missed as MissedPolicy | undefined) ?? MISSED,
      window_ms: parseDuration(window) ?? WINDOW_MS,
      overlap: (overlap as OverlapPolicy | undefined) ?? OVERLAP,
    };
    return [JSON.stringify(timer)];
  });

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
