/** How often runs may start: pure rules over the starts that a window remembers. */

/** At most `limit` starts in any period, and at most `burst` of them at once. */
export interface StartRate {
  readonly limit: number;
  readonly periodMs: number;
  readonly burst: number;
}

/** A run that was admitted, and when, in epoch milliseconds. */
export interface Admitted {
  readonly id: string;
  readonly at: number;
}

/** How many starts a window remembers, and for how long: those that the widest of its rates counts. */
export type Reach = Pick<StartRate, 'limit' | 'periodMs'>;

/** The throttle of a run: the window that it shares with others, and whether it was admitted. */
export interface Throttle extends StartRate {
  /** A hash of tenant, workflow and key; of tenant, name and key where it is shared. */
  readonly window: string;
  /** The value of the key, as shown to users; empty without one. */
  readonly key: string;
  /** Workflows with a throttle of this name share it, each with its own rate; absent: the throttle is that of one workflow. */
  readonly name?: string;
  /** It was admitted, and needs no other start. */
  readonly passed: boolean;
}

/** The time that counts as now: no start is before another one, whatever the clocks of hosts. */
const momentOf = (starts: readonly Admitted[], now: number): number => Math.max(now, starts.at(-1)?.at ?? now);

/** When one more run may start; `now`, or the time of the last start if that is later, where it may at once. */
export function nextStart(starts: readonly Admitted[], rate: StartRate, now: number): number {
  const moment = momentOf(starts, now);
  const blocking = starts.length < rate.limit ? undefined : starts[starts.length - rate.limit];
  const byWindow = blocking === undefined ? moment : blocking.at + rate.periodMs;
  return Math.max(moment, byWindow, spacedStart(starts, rate));
}

/**
 * When the spacing of starts allows one more: each start takes its share of the period, and `burst` of them may be taken in
 * advance (generic cell rate algorithm).
 */
function spacedStart(starts: readonly Admitted[], { limit, periodMs, burst }: StartRate): number {
  if (burst >= limit) return 0;
  const share = periodMs / limit;
  let taken = 0;
  for (const { at } of starts) taken = Math.max(taken, at) + share;
  return Math.ceil(taken - (burst - 1) * share);
}

/** True when a run behind others with the rates `ahead` may start at `now`: none of them has to wait for it. */
export const mayStart = (
  starts: readonly Admitted[],
  rate: StartRate,
  now: number,
  ahead: readonly StartRate[],
): boolean => startBehind(starts, rate, now, ahead) === momentOf(starts, now);

/** When a run behind others with the rates `ahead` may start. */
export function startBehind(
  starts: readonly Admitted[],
  rate: StartRate,
  now: number,
  ahead: readonly StartRate[],
): number {
  let planned = starts;
  const reach = reachOf([rate, ...ahead]);
  for (const other of ahead) planned = withStart(planned, reach, { id: '', at: nextStart(planned, other, now) });
  return nextStart(planned, rate, now);
}

/** The expected turns of waiting runs, without those that are due by then. */
export function turnsOf(
  starts: readonly Admitted[],
  now: number,
  waiters: readonly { readonly id: string; readonly wakeAt: number | null; readonly rate: StartRate }[],
): Admitted[] {
  let planned = starts;
  const late: Admitted[] = [];
  const reach = reachOf(waiters.map(({ rate }) => rate));
  for (const { id, wakeAt, rate } of waiters) {
    const at = nextStart(planned, rate, now);
    planned = withStart(planned, reach, { id, at });
    if (wakeAt !== null && wakeAt > at) late.push({ id, at });
  }
  return late;
}

/** The starts with one more, without those that count no more. */
export function withStart(starts: readonly Admitted[], { limit, periodMs }: Reach, start: Admitted): Admitted[] {
  const at = momentOf(starts, start.at);
  return [...starts.filter((other) => other.at > at - periodMs), { ...start, at }].slice(-limit);
}

/** The widest reach. */
export const reachOf = (reaches: readonly Reach[]): Reach => ({
  limit: Math.max(1, ...reaches.map(({ limit }) => limit)),
  periodMs: Math.max(0, ...reaches.map(({ periodMs }) => periodMs)),
});
