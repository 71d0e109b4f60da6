import { type Cache, createCache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';

const CACHED = 10_000;

/** Records when something was last used: in the background, at most once in an interval, since it is only displayed. */
export class UseRecorder {
  readonly #recorded: Cache<true>;

  /** `write` sets the time of a record unless it is newer than `before`. */
  constructor(
    private readonly options: {
      readonly everyMs: number;
      readonly clock: Clock;
      readonly write: (id: string, now: Date, before: Date) => Promise<unknown>;
      readonly onError: (error: unknown) => void;
    },
  ) {
    const { everyMs, clock } = options;
    this.#recorded = createCache({ max: CACHED, ttlMs: everyMs, now: () => clock.now() });
  }

  record(id: string): void {
    if (this.#recorded.get(id) === true) return;
    this.#recorded.set(id, true);
    const { clock, everyMs, write, onError } = this.options;
    const now = clock.now();
    write(id, new Date(now), new Date(now - everyMs)).catch(onError);
  }
}
