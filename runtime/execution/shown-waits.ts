import { waitingOf } from '../core/decide/waiting';
import { claimOf, type Execution, type Waiting } from '../core/model';
import type { RunState } from '../core/state/state';
import type { ActorDeps } from './deps';

/** Waits that end sooner are not shown. */
const SHOW_AFTER_MS = 250;
/** After a failed store, so that an outage of the database is not reported four times a second by each run. */
const RETRY_AFTER_MS = 5_000;
/** Waits that a user or another program has to answer. */
const ASKING: ReadonlySet<Waiting['kind']> = new Set(['approval', 'form', 'signal']);

interface Run {
  readonly state: () => RunState;
  /** Resolves when all entries so far, and the run itself, are stored. */
  readonly durable: () => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Stores the questions of a run that stays in memory because other steps of it are at work: without that, they are not shown
 * before those steps have ended. A release stores all waits of a run; this is for the time before it.
 */
export class ShownWaits {
  /** The questions in the run's document, by path and attempt. A claim has removed those of before. */
  #shown = '';
  /** Set while a store is planned, and after `stop`. */
  #cancel: (() => void) | null = null;

  constructor(
    private readonly deps: Pick<ActorDeps, 'clock' | 'store' | 'onWaits'>,
    private readonly execution: Execution,
    private readonly run: Run,
  ) {}

  /** After a decision, when the run stays in memory. */
  check(afterMs = SHOW_AFTER_MS): void {
    if (this.#cancel !== null || this.#asked() === this.#shown) return;
    this.#cancel = this.deps.clock.after(afterMs, () => {
      this.#cancel = null;
      this.#store().catch((fault: unknown) => {
        this.run.onFault(fault);
        this.check(RETRY_AFTER_MS);
      });
    });
  }

  /** The run has left memory: nothing is stored any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = () => {};
  }

  async #store(): Promise<void> {
    const { deps, execution } = this;
    const asked = this.#asked();
    if (asked === this.#shown) return;
    const waiting = waitingOf(this.run.state()).filter(({ kind }) => ASKING.has(kind));
    // Nothing is shown that a crash could undo.
    await this.run.durable();
    const stored = await deps.store.showWaits(claimOf(execution), waiting);
    this.#shown = asked;
    if (stored && waiting.length > 0) deps.onWaits(execution, waiting);
  }

  #asked(): string {
    const { steps, open } = this.run.state();
    const asked: string[] = [];
    for (const path of open) {
      const step = steps.get(path);
      if (step?.kind === 'waiting' && ASKING.has(step.wait.kind)) asked.push(`${path}#${step.attempt}`);
    }
    return asked.join();
  }
}
