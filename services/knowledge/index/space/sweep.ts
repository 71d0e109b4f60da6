import type { Clock } from '../../../../lib/clock';
import { errorMessage } from '../../../../lib/errors';
import type { SegmentStore } from './store';

/** No change takes so long (see MOST_COMMIT_MS): a segment that no manifest names by then is nobody's. */
const ORPHAN_MS = 3_600_000;
const EVERY_MS = 1_800_000;
const PAGE = 500;

/** Removes segments that no manifest names: of processes that died, and of merges that are done. */
export class SegmentSweep {
  #cancelTimer: (() => void) | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly store: SegmentStore,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  start(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.clock.after(EVERY_MS, () => {
      this.#sweeping = this.#sweep().then(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#sweeping;
  }

  /** Answers how many segments were removed. Any number of processes may sweep at once. */
  async run(): Promise<number> {
    let removed = 0;
    for await (const segments of this.store.segments(new Date(this.clock.now() - ORPHAN_MS), PAGE)) {
      const named = await this.store.named([...new Set(segments.map(({ index }) => index))]);
      const orphans = segments.filter(({ id }) => !named.has(id));
      await this.store.remove(orphans);
      removed += orphans.length;
      if (this.#stopped) break;
    }
    return removed;
  }

  async #sweep(): Promise<void> {
    try {
      await this.run();
    } catch (fault) {
      this.warn(`Segments that nobody needs are not removed yet: ${errorMessage(fault)}`);
    }
  }
}
