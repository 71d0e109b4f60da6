import type { Clock } from '../../../lib/clock';

/** Wakes whoever waits for a run to move. A nudge is a hint: it may come early, late or never. */
export class Watchers {
  readonly #byId = new Map<string, Set<() => void>>();
  #open = true;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Begins to watch a run, so that no nudge after this is lost. */
  watch(id: string) {
    let nudged = false;
    let wake: (() => void) | null = null;
    const nudge = (): void => {
      nudged = true;
      wake?.();
    };
    const watching = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, watching.add(nudge));
    this.#size += 1;
    const isOpen = (): boolean => this.#open;
    return {
      /** False once the server stops. */
      get open(): boolean {
        return isOpen();
      },
      nudge,
      /** Answers at the next nudge, at once when there was one since the last answer, or after `mostMs`. */
      async moved(clock: Clock, mostMs: number): Promise<void> {
        if (!nudged && isOpen()) {
          let cancel = (): void => {};
          await new Promise<void>((resolve) => {
            wake = resolve;
            cancel = clock.after(mostMs, resolve);
          });
          cancel();
        }
        wake = null;
        nudged = false;
      },
      stop: (): void => {
        watching.delete(nudge);
        if (watching.size === 0 && this.#byId.get(id) === watching) this.#byId.delete(id);
        this.#size -= 1;
      },
    };
  }

  /** Nudges those who watch a run. */
  moved(id: string): void {
    for (const nudge of this.#byId.get(id) ?? []) nudge();
  }

  /** Lets everybody go. */
  close(): void {
    this.#open = false;
    for (const watching of this.#byId.values()) for (const nudge of watching) nudge();
  }
}
