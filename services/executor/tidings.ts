import { Cache } from '../../lib/cache';
import type { EventDefinition, ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { watchGroup } from '../catalogue';

/** Hosts forget who watches after half a minute. */
const REPEAT_MS = 10_000;
const REMEMBERED = 10_000;

/** A wait for word; `stop` ends it early. */
export interface Listening {
  readonly heard: Promise<void>;
  stop(): void;
}

/**
 * Word of runs that end, wherever their hosts are. Owns: who on this node waits for which run. A hint: the run's
 * document is the fact, and whoever waits looks at it now and then.
 */
export class Tidings {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** Runs of which the hosts were told lately that this node wants to hear. */
  readonly #asked: Cache<true>;
  #context: ServiceContext | null = null;

  constructor(private readonly app: App) {
    this.#asked = new Cache({ max: REMEMBERED, ttlMs: REPEAT_MS, now: () => app.clock.now() });
  }

  open(context: ServiceContext): void {
    this.#context = context;
  }

  /** The event by which hosts tell. */
  get event(): EventDefinition<'execution.moved'> {
    return {
      group: watchGroup(this.app.nodeId),
      params: { id: { type: 'string', max: 100 }, ended: 'boolean' },
      handle: ({ id, ended }) => {
        if (ended) this.#tell(id);
      },
    };
  }

  /** Listens for the end of a run, for `ms` at most. */
  ended(id: string, ms: number): Listening {
    this.#ask(id);
    let settle = (): void => {};
    const heard = new Promise<void>((resolve) => {
      settle = () => {
        cancel();
        this.#forget(id, settle);
        resolve();
      };
    });
    const cancel = this.app.clock.after(ms, settle);
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(settle));
    return { heard, stop: settle };
  }

  #ask(id: string): void {
    if (this.#asked.get(id) === true) return;
    this.#asked.set(id, true);
    this.#context?.broadcast('execution.watch', { ids: [id], node: this.app.nodeId });
  }

  #tell(id: string): void {
    for (const settle of [...(this.#waiting.get(id) ?? [])]) settle();
  }

  #forget(id: string, settle: () => void): void {
    const waiting = this.#waiting.get(id);
    waiting?.delete(settle);
    if (waiting?.size === 0) this.#waiting.delete(id);
  }
}
