/** Invariants of a connection with limits. */
import type { ConnectionLimits, Quota } from '../../runtime/core/decide/quota';
import { type Doing, keyOf, usesConnection } from './effects';
import type { Rule } from './watch';

/** The step of a start. */
const stepOf = (start: string): string => start.slice(0, start.lastIndexOf('#'));

export class ConnectionWatch {
  /** Starts that were admitted, in their order, and those that have not begun yet, by step. */
  readonly #starts: { readonly id: string; readonly at: number }[] = [];
  readonly #unused = new Map<string, number>();

  constructor(
    private readonly limits: ConnectionLimits | null,
    private readonly report: (rule: Rule, what: string) => void,
  ) {}

  /** The quota has been written: at most one step was admitted by it, and not too early. */
  used(before: Quota | undefined, { starts, uses, waiters }: Quota): void {
    if (this.limits === null) return;
    const { rate, concurrency } = this.limits;
    const last = starts.at(-1);
    const known = before?.starts.at(-1);
    if (rate !== null && last !== undefined && (last.id !== known?.id || last.at !== known.at))
      this.#started(last, rate);
    if (rate === null)
      for (const { id, epoch, n } of uses)
        if (before?.uses.some((use) => use.id === id && use.epoch === epoch && use.n === n) !== true) this.#allow(id);
    if (concurrency !== null && uses.length > concurrency)
      this.report('connections kept', `${uses.map(({ id }) => id).join()} use it, and ${concurrency} may`);
    const admitted = before?.waiters.find(({ id }) => waiters.every((waiter) => waiter.id !== id));
    const earlier = before?.waiters.find(
      ({ id, since, due }) =>
        admitted !== undefined && id !== admitted.id && since < admitted.since && due + 20_000 > (last?.at ?? 0),
    );
    if (
      earlier !== undefined &&
      admitted !== undefined &&
      last !== undefined &&
      stepOf(last.id) === admitted.id &&
      waiters.length > 0
    )
      this.#overtaken(admitted.id, earlier.id);
  }

  /** Waiters that have been overtaken, and how often: one that comes late may be, but not without a limit. */
  readonly #late = new Map<string, number>();

  #overtaken(by: string, id: string): void {
    const times = (this.#late.get(id) ?? 0) + 1;
    this.#late.set(id, times);
    if (times > 50) this.report('connections kept', `${id} waits, and ${times} others came before it, at last ${by}`);
  }

  #started(
    last: { readonly id: string; readonly at: number },
    { limit, periodMs }: NonNullable<ConnectionLimits['rate']>,
  ): void {
    this.#starts.push(last);
    this.#allow(stepOf(last.id));
    const first = this.#starts.at(-limit - 1);
    if (first !== undefined && last.at - first.at < periodMs)
      this.report('connections kept', `${first.id} and ${last.id} use it within a period of ${limit} uses`);
  }

  #allow(id: string): void {
    this.#unused.set(id, (this.#unused.get(id) ?? 0) + 1);
  }

  /** An effect begins: it was admitted, and not too many others are in progress. */
  began(doing: Doing, active: readonly Doing[]): void {
    if (this.limits === null || !usesConnection(doing.type)) return;
    const id = `${doing.run}/${doing.path}`;
    const left = this.#unused.get(id) ?? 0;
    if (left === 0) this.report('connections kept', `${keyOf(doing)} begins, and was not admitted`);
    this.#unused.set(id, left - 1);
    const { concurrency } = this.limits;
    const others = active.filter(({ type }) => usesConnection(type));
    if (concurrency !== null && others.length >= concurrency)
      this.report('connections kept', `${[doing, ...others].map(keyOf).join()} go on, and ${concurrency} may`);
  }
}
