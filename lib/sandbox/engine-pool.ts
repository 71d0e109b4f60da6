import type { Engine } from './engine';

/**
 * Idle engines by lane: creating one takes several times as long as a small script. An engine is never reused by
 * another lane, which could see what a script left in its memory.
 */
export class EnginePool {
  /** Least recently used first. */
  readonly #engines = new Map<string, Engine>();

  constructor(
    private readonly room: number,
    private readonly make: () => Promise<Engine>,
  ) {}

  /** The lane's engine, or a new one, removed from the pool until `put`. */
  async take(lane: string): Promise<Engine> {
    const own = this.#engines.get(lane);
    this.#engines.delete(lane);
    return own ?? this.make();
  }

  /** Returns an engine to its lane, unless it is spent. */
  put(lane: string, engine: Engine): void {
    if (engine.spent) return;
    this.#engines.set(lane, engine);
    for (const oldest of this.#engines.keys()) {
      if (this.#engines.size <= this.room) return;
      this.#engines.delete(oldest);
    }
  }
}
