import type { Engine } from './engine';

/**
 * Engines that wait for the next script of their lane: to make one takes several times as long as a small script. An
 * engine is never handed to another lane, so what a script may have done to its memory, no stranger meets.
 */
export class Shelf {
  /** The one that has waited longest is first. */
  readonly #engines = new Map<string, Engine>();

  constructor(
    private readonly room: number,
    private readonly make: () => Promise<Engine>,
  ) {}

  /** The lane's own engine, or a new one. It is off the shelf until it is put back. */
  async take(lane: string): Promise<Engine> {
    const own = this.#engines.get(lane);
    this.#engines.delete(lane);
    return own ?? this.make();
  }

  /** Keeps an engine for its lane, unless it is spent. */
  put(lane: string, engine: Engine): void {
    if (engine.spent) return;
    this.#engines.set(lane, engine);
    for (const oldest of this.#engines.keys()) {
      if (this.#engines.size <= this.room) return;
      this.#engines.delete(oldest);
    }
  }
}
