/** When a step may use a connection: pure rules over who uses it, who waits for it, and when it was used before. */
import { type Admitted, reachOf, startBehind, type StartRate, mayStart, withStart } from './throttle';

/** Limits of a connection; null: none. At most `concurrency` steps use it at once, and `limit` begin to in any period. */
export interface ConnectionLimits {
  readonly rate: { readonly limit: number; readonly periodMs: number } | null;
  readonly concurrency: number | null;
}

/** A step that uses the connection. `epoch`: of the claim of its run, outside of which it uses nothing; `n`: of the use, under it. */
export interface ConnectionUse {
  /** Of the step in its run. */
  readonly id: string;
  readonly run: string;
  readonly epoch: number;
  readonly n: number;
}

/** A step that waits. It asks again at `due`; `since` decides its place. */
interface ConnectionWaiter {
  readonly id: string;
  readonly run: string;
  readonly since: number;
  readonly due: number;
}

/** Under which the use of a connection is stored. */
export const quotaIdOf = (tenantId: string, connection: string): string => `connection:${tenantId}:${connection}`;

/** What is known of the use of a connection. Waiters are in their order. Times in epoch milliseconds. */
export interface Quota {
  readonly starts: readonly Admitted[];
  readonly uses: readonly ConnectionUse[];
  readonly waiters: readonly ConnectionWaiter[];
}

export const NO_USE: Quota = { starts: [], uses: [], waiters: [] };

/** A step that asks to use the connection; `since`: when it asked first. */
export interface ConnectionRequester extends ConnectionUse {
  readonly since: number;
}

/** `due`: when a step that has to wait asks again; null: it may begin. `woken`: waiters that are due earlier than before. */
export interface QuotaAnswer {
  readonly due: number | null;
  readonly quota: Quota;
  readonly woken: readonly ConnectionWaiter[];
}

/** Only so many waiters are listed, those that asked first. Others look again from time to time. */
const MAX_LISTED = 200;
/** So many of the next waiters are woken when their turn comes earlier. */
const MAX_WOKEN = 20;
/** A waiter that has not asked again so long after it was due holds back no others: its step may have been cancelled. */
const LATE_MS = 10_000;
/** When waiters look again: the next one, others behind a full connection, and those that are not listed. */
const NEXT_MS = 1_000;
const BEHIND_MS = 30_000;
/** No waiter sleeps longer: those before it may leave. */
const MAX_SLEEP_MS = 300_000;

/** Admits a step if those that wait before it could begin as well, or lists it among the waiters. */
export function askQuota(
  quota: Quota,
  limits: ConnectionLimits,
  asking: ConnectionRequester,
  now: number,
): QuotaAnswer {
  const { id, run, epoch, n, since } = asking;
  // An earlier answer to this step, or a release by it, may have been lost.
  const uses = quota.uses.filter((use) => use.id !== id);
  const others = quota.waiters.filter((waiter) => waiter.id !== id);
  const ahead = others.filter((waiter) => isBefore(waiter, asking) && waiter.due + LATE_MS > now);
  const rate = rateOf(limits);
  const rates = ahead.map(() => rate).filter((one) => one !== null);
  const isRoom = limits.concurrency === null || uses.length + ahead.length < limits.concurrency;
  if (isRoom && (rate === null || mayStart(quota.starts, rate, now, rates))) {
    const starts =
      rate === null ? [] : withStart(quota.starts, reachOf([rate]), { id: `${id}#${epoch}.${n}`, at: now });
    const isHeld = limits.concurrency !== null;
    return woken({ starts, uses: isHeld ? [...uses, { id, run, epoch, n }] : [], waiters: others }, limits, now, null);
  }
  const turn = rate === null ? now : startBehind(quota.starts, rate, now, rates);
  const look = isRoom ? turn : Math.max(turn, now + (ahead.length === 0 ? NEXT_MS : BEHIND_MS));
  const due = Math.max(now + 1, Math.min(look, now + MAX_SLEEP_MS));
  const waiters = [...others, { id, run, since, due }].sort(byPlace).slice(0, MAX_LISTED);
  return woken({ starts: quota.starts, uses, waiters }, limits, now, due);
}

/** Ends a use. */
export function releaseQuota(quota: Quota, limits: ConnectionLimits, ids: readonly string[], now: number): QuotaAnswer {
  return woken({ ...quota, uses: quota.uses.filter(({ id }) => !ids.includes(id)) }, limits, now, null);
}

/** The quota without uses by runs that no host has under their claim, and without waiters whose runs have ended. */
export function withoutGone(quota: Quota, running: ReadonlyMap<string, number | null>): Quota {
  return {
    ...quota,
    uses: quota.uses.filter(({ run, epoch }) => running.get(run) === epoch),
    waiters: quota.waiters.filter(({ run }) => running.has(run)),
  };
}

/** Makes those of the next waiters due whose turn has come earlier. */
function woken(quota: Quota, limits: ConnectionLimits, now: number, due: number | null): QuotaAnswer {
  const rate = rateOf(limits);
  const early: ConnectionWaiter[] = [];
  const room = limits.concurrency === null ? MAX_WOKEN : Math.min(MAX_WOKEN, limits.concurrency - quota.uses.length);
  const rates: StartRate[] = [];
  const fresh = quota.waiters.filter((waiter) => waiter.due + LATE_MS > now).slice(0, Math.max(0, room));
  for (const waiter of fresh) {
    const turn = rate === null ? now : startBehind(quota.starts, rate, now, rates);
    if (rate !== null) rates.push(rate);
    if (turn + NEXT_MS < waiter.due) early.push({ ...waiter, due: turn });
  }
  if (early.length === 0) return { due, quota, woken: early };
  const waiters = quota.waiters.map((waiter) => early.find(({ id }) => id === waiter.id) ?? waiter);
  return { due, quota: { ...quota, waiters }, woken: early };
}

const rateOf = ({ rate }: ConnectionLimits): StartRate | null =>
  rate === null ? null : { ...rate, burst: rate.limit };

const byPlace = (a: ConnectionWaiter, b: ConnectionWaiter): number => a.since - b.since || (a.id < b.id ? -1 : 1);

const isBefore = (waiter: ConnectionWaiter, { id, since }: ConnectionRequester): boolean =>
  waiter.since < since || (waiter.since === since && waiter.id < id);
