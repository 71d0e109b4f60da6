import type { Clock } from '../../../lib/clock';

/** Hosts forget who watches after half a minute; one that has just come knows nobody yet. */
const REPEAT_MS = 10_000;
const IDS_AT_ONCE = 500;

/** Wakes whoever waits for a run to move. A nudge is a hint: it may come early, late or never. */
export class Watchers {
  readonly #byId = new Map<string, Set<() => void>>();
  #open = true;
  #size = 0;
  #repeating = false;

  /** `announce` tells the hosts which runs this node wants to hear of. */
  constructor(
    private readonly clock: Clock,
    private readonly announce: (ids: string[]) => void,
  ) {}

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
    this.announce([id]);
    this.#repeat();
    const isOpen = (): boolean => this.#open;
    return {
      /** False once the server stops. */
      get open(): boolean {
        return isOpen();
      },
      nudge,
      /** Answers at the next nudge, at once when there was one since the last answer, or after `mostMs`. */
      moved: async (mostMs: number): Promise<void> => {
        if (!nudged && isOpen()) {
          let cancel = (): void => {};
          await new Promise<void>((resolve) => {
            wake = resolve;
            cancel = this.clock.after(mostMs, resolve);
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

  #repeat(): void {
    if (this.#repeating) return;
    this.#repeating = true;
    this.clock.after(REPEAT_MS, () => {
      this.#repeating = false;
      const ids = [...this.#byId.keys()];
      if (!this.#open || ids.length === 0) return;
      for (let at = 0; at < ids.length; at += IDS_AT_ONCE) this.announce(ids.slice(at, at + IDS_AT_ONCE));
      this.#repeat();
    });
  }

  /** Lets everybody go. */
  close(): void {
    this.#open = false;
    for (const watching of this.#byId.values()) for (const nudge of watching) nudge();
  }
}
