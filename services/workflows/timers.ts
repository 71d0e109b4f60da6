import { POLLED_TRIGGERS, type PlanTrigger } from '../../dsl';
import { parseDuration } from '../../lib/duration';
import type { Json } from '../../lib/json';
import { CUSTOM_PREFIX } from '../../nodes/custom';
import type { MissedPolicy, OverlapPolicy, PollTimer, ScheduleTimer } from '../../contracts/scheduler';

/** What a schedule does where its author says nothing: the last of the starts that it missed, if that is not long ago. */
const MISSED: MissedPolicy = 'last';
const WINDOW_MS = 3_600_000;
const OVERLAP: OverlapPolicy = 'allow';
/** How often a source is asked where its author says nothing. */
const EVERY = '5m';

/** The triggers of a workflow that come by the clock, each as JSON text: equal texts mean the same. */
export const timersOf = (triggers: readonly PlanTrigger[]): string[] =>
  triggers.flatMap((trigger, index) => {
    // The language has checked the settings when the workflow was saved.
    if (trigger.type === 'schedule') return [JSON.stringify(scheduleOf(trigger, index))];
    const polled = POLLED_TRIGGERS.has(trigger.type) || trigger.type.startsWith(CUSTOM_PREFIX);
    return polled ? [JSON.stringify(pollOf(trigger, index))] : [];
  });

function scheduleOf({ config }: PlanTrigger, index: number): ScheduleTimer {
  const { cron, every, timezone, jitter, missed, window, overlap } = config;
  return {
    kind: 'schedule',
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
}

function pollOf({ type, config }: PlanTrigger, index: number): PollTimer {
  const { every = EVERY, ...settings } = config;
  return {
    kind: 'poll',
    index,
    type,
    every: String(every),
    every_ms: parseDuration(every) ?? 0,
    config: JSON.stringify(settings),
  };
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
