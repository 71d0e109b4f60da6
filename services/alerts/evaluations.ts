import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { type NextRun, PeriodicTask } from '../../lib/periodic';
import type { Evaluator } from './evaluator';
import type { Turns } from './turns';

/** A tenant that another process has called for is found within this time. */
const POLL_MS = 500;
/** Pause in which further ended runs are collected: a round costs nearly the same for one and for many. */
const GATHER_MS = 50;
const AT_ONCE = 8;

interface Deps {
  readonly turns: Turns;
  readonly evaluator: Evaluator;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/** Evaluates the rules of the tenants that are due, a few at once. */
export class Evaluations {
  readonly #task: PeriodicTask;
  readonly #rounds = new Set<Promise<void>>();

  constructor(private readonly deps: Deps) {
    this.#task = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_MS,
      run: () => this.#claim(),
      onError: (fault) => deps.warn(`Tenants with due alerts could not be claimed: ${errorMessage(fault)}`),
    });
  }

  /** Looks for due tenants soon. */
  wake(): void {
    this.#task.within(GATHER_MS);
  }

  /** Resolves when the rounds in progress are over. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await Promise.all(this.#rounds);
  }

  async #claim(): Promise<NextRun | void> {
    const { turns, evaluator, clock, warn } = this.deps;
    const room = AT_ONCE - this.#rounds.size;
    if (room <= 0) return;
    // First the cheaper query: mostly no tenant is due.
    const next = await turns.nextWake();
    const inMs = next === null ? POLL_MS : Math.min(POLL_MS, next - clock.now());
    if (inMs > 0) return { inMs };
    const claimed = await turns.take(clock.now(), room);
    for (const turn of claimed) {
      const round = evaluator
        .evaluate(turn)
        // The claim ends, and a process evaluates the tenant again.
        .catch((fault: unknown) => warn(`Alerts of tenant ${turn.tenant_id}: ${errorMessage(fault)}`))
        .then(() => {
          this.#rounds.delete(round);
          this.#task.within(GATHER_MS);
        });
      this.#rounds.add(round);
    }
    return { inMs: GATHER_MS };
  }
}
