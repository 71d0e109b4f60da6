import * as s from '../../lib/schema';

/** What runs wait for. A pause is shown like a wait, too. */
export const WAITS = [
  'approval',
  'batch',
  'capacity',
  'child',
  'debounce',
  'form',
  'retry',
  'signal',
  'slot',
  'connection',
  'throttle',
  'timer',
] as const;

export const PauseView = s.named(
  'PauseView',
  s.object({
    started_at: s.text,
    ended_at: s.text.nullable().about('Null while the run is paused.'),
    by: s.text.nullable().about('The e-mail address of the one who paused it.'),
    reason: s.text.nullable(),
  }),
  'A stretch of time in which a run was paused.',
);
export type PauseView = s.Infer<typeof PauseView>;

/** What the wait of a paused run has besides its time. */
export const PAUSED_BY = {
  by: s.text.nullable().optional().about('Of a pause: the e-mail address of the one who paused the run.'),
  reason: s.text.nullable().optional().about('Of a pause.'),
} as const;
