import type { Ending } from '../../runtime/store/port';

/** Callers that wait for runs to end on this host. A hint: the run's document is the fact. */
export class Ends {
  readonly #waiting = new Map<string, Set<(ending: Ending | null) => void>>();

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

  /** Nothing will be heard here any more. */
  letGo(): void {
    for (const waiting of [...this.#waiting.values()]) for (const settle of [...waiting]) settle(null);
  }

  tell(id: string, ending: Ending): void {
    for (const settle of [...(this.#waiting.get(id) ?? [])]) settle(ending);
  }
}
