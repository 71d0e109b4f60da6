import type { Clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import type { SaidEvent } from '../../executor/contract';
import { Hearing } from './hearing';

/** Hosts forget who watches after half a minute; one that has just come knows nobody yet. */
const REPEAT_MS = 10_000;
const IDS_AT_ONCE = 500;
const MOST_STREAMS = 10_000;

/** One who waits for a run to move; `hearing`: he also wants to know what it says. */
interface Watching {
  readonly nudge: () => void;
  readonly speak: () => void;
  readonly hearing: Hearing | null;
}

/** Wakes whoever waits for a run to move. A nudge is a hint: it may come early, late or never. */
export class Watchers {
  readonly #byId = new Map<string, Set<Watching>>();
  #open = true;
  #size = 0;
  #repeating = false;

  /** `announce` tells the hosts which runs this node wants to hear of; `said`: also what they say. */
  constructor(
    private readonly clock: Clock,
    private readonly announce: (ids: string[], said: boolean) => void,
  ) {}

  /** @throws AppError unavailable when as many watch as this node can serve */
  assertRoom(): void {
    if (this.#size >= MOST_STREAMS) throw new AppError('unavailable', 'Too many open streams', { retry_after: 10 });
  }

  /** Begins to watch a run, so that no nudge after this is lost; with `listen`, also to listen to what it says. */
  watch(id: string, listen = false) {
    let nudged = false;
    let spoken = false;
    let wake: (() => void) | null = null;
    const nudge = (): void => {
      nudged = true;
      wake?.();
    };
    const speak = (): void => {
      spoken = true;
      wake?.();
    };
    const hearing = listen ? new Hearing() : null;
    const watching: Watching = { nudge, speak, hearing };
    const those = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, those.add(watching));
    this.#size += 1;
    this.announce([id], false);
    if (listen) this.announce([id], true);
    this.#repeat();
    const isOpen = (): boolean => this.#open;
    return {
      /** False once the server stops. */
      get open(): boolean {
        return isOpen();
      },
      nudge,
      /** What the run has said since this was asked last. */
      heard: () => hearing?.taken() ?? [],
      /**
       * Answers at the next nudge or piece, at once when there was one since the last answer, or after `mostMs`; false
       * when it was a piece alone.
       */
      moved: async (mostMs: number): Promise<boolean> => {
        if (!nudged && !spoken && isOpen()) {
          let cancel = (): void => {};
          await new Promise<void>((resolve) => {
            wake = resolve;
            cancel = this.clock.after(mostMs, resolve);
          });
          cancel();
        }
        const moved = nudged || !spoken;
        wake = null;
        nudged = false;
        spoken = false;
        return moved;
      },
      stop: (): void => {
        those.delete(watching);
        if (those.size === 0 && this.#byId.get(id) === those) this.#byId.delete(id);
        this.#size -= 1;
      },
    };
  }

  /** Nudges those who watch a run. */
  moved(id: string): void {
    for (const { nudge } of this.#byId.get(id) ?? []) nudge();
  }

  /** Hands a piece of what a run says to those who listen. */
  said(event: SaidEvent): void {
    for (const { speak, hearing } of this.#byId.get(event.id) ?? []) if (hearing?.hear(event) === true) speak();
  }

  #repeat(): void {
    if (this.#repeating) return;
    this.#repeating = true;
    this.clock.after(REPEAT_MS, () => {
      this.#repeating = false;
      if (!this.#open || this.#byId.size === 0) return;
      this.#tell([...this.#byId.keys()], false);
      this.#tell(
        [...this.#byId].flatMap(([id, those]) => ([...those].some(({ hearing }) => hearing !== null) ? [id] : [])),
        true,
      );
      this.#repeat();
    });
  }

  #tell(ids: string[], said: boolean): void {
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) this.announce(ids.slice(at, at + IDS_AT_ONCE), said);
  }

  /** Lets everybody go. */
  close(): void {
    this.#open = false;
    for (const those of this.#byId.values()) for (const { nudge } of those) nudge();
  }
}
