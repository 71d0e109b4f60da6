import type { Timer } from '../services/scheduler/contract';

/** A timer as a record keeps it. Texts from before there were sources to ask say no kind: they are schedules. */
export function readTimer(text: string): Timer {
  // Written from what the language has checked.
  const timer = JSON.parse(text) as Timer | Omit<Extract<Timer, { kind: 'schedule' }>, 'kind'>;
  return 'kind' in timer ? timer : { kind: 'schedule', ...timer };
}
