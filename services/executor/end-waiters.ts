import { ShortLivedMap } from '../../lib/short-lived-map';
import type { Ending } from '../../runtime/core/model';

/** Callers that wait for runs to end on this host. Notifications are hints; the run's document is authoritative. */
export class EndWaiters {
  readonly #waiting = new ShortLivedMap<string, Set<(ending: Ending | null) => void>>();

  /** Resolves with the ending, or with null after `ms`. Watches from the moment of the call. */
  within(id: string, ms: number): Promise<Ending | null> {
    return new Promise((resolve) => {
      const settle = (ending: Ending | null): void => {
        clearTimeout(timer);
        const others = this.#waiting.get(id);
        others?.delete(settle);
        if (others?.size === 0) this.#waiting.delete(id);
        resolve(ending);
      };
      const timer = setTimeout(() => settle(null), ms).unref();
      const others = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, others.add(settle));
    });
  }

  /** Resolves all waits with null: this host stops. */
  releaseAll(): void {
    for (const waiting of [...this.#waiting.values()]) for (const settle of [...waiting]) settle(null);
  }

  notify(id: string, ending: Ending): void {
    for (const settle of [...(this.#waiting.get(id) ?? [])]) settle(ending);
  }
}
