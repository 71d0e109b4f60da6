import { type Cache, createCache } from '../../lib/cache';
import type { EventDefinition, ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { watchGroup } from '../../contracts/events';

/** Subscriptions at hosts expire after half a minute. */
const REPEAT_MS = 10_000;
const REMEMBERED = 10_000;

/** A wait for the end of a run; `stop` ends it early. */
interface Listening {
  readonly finished: Promise<void>;
  stop(): void;
}

/**
 * Notifications of runs that end on any host. Owns the waiting callers of this node. They are hints: the run's
 * document is authoritative, and waiting callers poll it.
 */
export class RunEndFeed {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Runs that this node has subscribed to recently. */
  readonly #subscribed: Cache<true>;
  #context: ServiceContext | null = null;

  constructor(private readonly app: App) {
    this.#subscribed = createCache({ max: REMEMBERED, ttlMs: REPEAT_MS, now: () => app.clock.now() });
  }

  open(context: ServiceContext): void {
    this.#context = context;
  }

  /** The event that hosts send. */
  get event(): EventDefinition<'execution.moved'> {
    return {
      group: watchGroup(this.app.nodeId),
      handle: ({ id, ended }) => {
        if (ended === true) this.#notify(id);
      },
    };
  }

  /** Subscribes to the end of a run, for `ms` at most. */
  ended(id: string, ms: number): Listening {
    this.#subscribe(id);
    let settle = (): void => {};
    const finished = new Promise<void>((resolve) => {
      settle = () => {
        cancel();
        this.#forget(id, settle);
        resolve();
      };
    });
    const cancel = this.app.clock.after(ms, settle);
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(settle));
    return { finished, stop: settle };
  }

  #subscribe(id: string): void {
    if (this.#subscribed.get(id) === true) return;
    this.#subscribed.set(id, true);
    this.#context?.broadcast('execution.watch', { ids: [id], node: this.app.nodeId });
  }

  #notify(id: string): void {
    for (const settle of [...(this.#waiting.get(id) ?? [])]) settle();
  }

  #forget(id: string, settle: () => void): void {
    const waiting = this.#waiting.get(id);
    waiting?.delete(settle);
    if (waiting?.size === 0) this.#waiting.delete(id);
  }
}
