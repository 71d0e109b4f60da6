import type { RunState } from '../core/state/state';

/** A shorter history is read again: that costs less than caching its state. */
const MIN_ENTRIES = 50;
/** Limits in characters of histories (see `RunState.size`): of one cached state, and of all. */
const MAX_CHARS = 4 * 1024 * 1024;
const MAX_TOTAL_CHARS = 32 * 1024 * 1024;

/** The state after the first `n` records. */
interface CachedState {
  readonly state: RunState;
  readonly n: number;
  readonly entries: number;
}

/**
 * Caches states of released runs. A run that waits many times is mostly claimed by the same host: then only later
 * records are read. Records never change, so a cached state stays valid.
 */
export class StateCache {
  readonly #kept = new Map<string, CachedState>();
  #chars = 0;

  constructor(private readonly minEntries = MIN_ENTRIES) {}

  /** The caller owns the state from then on. */
  take(id: string): CachedState | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    this.#kept.delete(id);
    this.#chars -= kept.state.size;
    return kept;
  }

  /** Everything in the state must be durable; its volatile part is dropped. */
  keep(id: string, state: RunState, { last: n, position: entries }: { last: number; position: number }): void {
    this.take(id);
    if (entries < this.minEntries || state.size > MAX_CHARS) return;
    for (const part of [state.inFlight, state.cursors, state.loops, state.overdue]) part.clear();
    state.messages.length = 0;
    state.pauseRequest = null;
    this.#kept.set(id, { state, n, entries });
    this.#chars += state.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#chars <= MAX_TOTAL_CHARS) break;
      this.take(oldest);
    }
  }
}
