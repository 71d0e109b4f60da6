import type { Clock } from '../../../lib/clock';
import { type NextRun, PeriodicTask } from '../../../lib/periodic';
import type { OutputEvent } from '../../../contracts/executions/views';
import { OutputText } from './output-text';
import { type EventBatch, RunFeed } from './run-feed';
import { type StreamClient, StreamCounts } from './stream-counts';

/** Subscriptions at hosts expire after 30 seconds, and a new host has none. */
const REPEAT_MS = 10_000;
const IDS_AT_ONCE = 500;
const MAX_STREAMS_PER_RUN = 200;
/** How often watched runs are polled, as notifications may be lost. */
const LOOK_MS = 1_000;

/** A stream of a run; `output`: set if it also subscribes to the output. */
interface Watching {
  readonly nudge: () => void;
  readonly speak: () => void;
  readonly output: OutputText | null;
}

/** A run that is watched. */
interface WatchedRun {
  readonly watching: Set<Watching>;
  /** How often it has moved. */
  version: number;
  /** The record that is written next, once its events have been read. */
  next: number | null;
  readonly feeds: Map<string, RunFeed>;
}

/** What the watchers of a gateway need of the other services. */
interface WatchersOptions {
  readonly clock: Clock;
  /** Subscribes this node to runs at all hosts; `output`: also to their output. */
  readonly announce: (ids: string[], output: boolean) => void;
  readonly onError: (error: unknown) => void;
  /** Which of some runs have written the record `next` or have ended. */
  readonly look: (runs: { id: string; next: number }[]) => Promise<readonly string[]>;
}

/** Notifies the streams of a run of new records. A notification is a hint: it may come early, late or never. */
export class Watchers {
  readonly #byId = new Map<string, WatchedRun>();
  readonly counts = new StreamCounts();
  #open = true;
  readonly #announcing: PeriodicTask;
  readonly #checking: PeriodicTask;

  constructor(private readonly options: WatchersOptions) {
    const { clock, onError } = options;
    this.#announcing = new PeriodicTask({
      clock,
      intervalMs: REPEAT_MS,
      run: async () => this.#announceAll(),
      onError,
    });
    this.#checking = new PeriodicTask({ clock, intervalMs: LOOK_MS, run: () => this.#checkAll(), onError });
  }

  /** @throws AppError unavailable, rate_limited when as many streams are open as this node serves, or one client, tenant or run has */
  assertRoom(id: string, client: StreamClient): void {
    const open = this.#byId.get(id)?.watching.size ?? 0;
    this.counts.assertRoom(client, [{ open, max: MAX_STREAMS_PER_RUN, of: 'of one run' }]);
  }

  /** Begins to watch a run, so that no nudge after this is lost; with `listen`, also to its output. */
  watch(id: string, client: StreamClient, listen = false) {
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
    const output = listen ? new OutputText() : null;
    const watching: Watching = { nudge, speak, output };
    const run = this.#byId.get(id) ?? { watching: new Set(), version: 0, next: null, feeds: new Map() };
    this.#byId.set(id, run);
    run.watching.add(watching);
    this.counts.add(client, 1);
    this.options.announce([id], false);
    if (listen) this.options.announce([id], true);
    this.#announcing.start();
    this.#checking.start();
    const isOpen = (): boolean => this.#open;
    return {
      /** False once the server stops. */
      get open(): boolean {
        return isOpen();
      },
      nudge,
      /** Events behind a position, read once for all streams of an audience. Rejects with what `read` rejects with. */
      after: async (audience: string, after: number, read: (after: number) => Promise<EventBatch>) => {
        const feed = run.feeds.get(audience) ?? new RunFeed();
        run.feeds.set(audience, feed);
        const batch = await feed.after(after, run.version, read);
        run.next = batch.next ?? null;
        return batch;
      },
      /** The output since the last call. */
      output: () => output?.take() ?? [],
      /**
       * Answers at the next nudge or piece, at once when there was one since the last answer, or after `maxMs`; false
       * when it was a piece alone.
       */
      moved: async (maxMs: number): Promise<boolean> => {
        if (!nudged && !spoken && isOpen()) {
          let cancel = (): void => {};
          await new Promise<void>((resolve) => {
            wake = resolve;
            cancel = this.options.clock.after(maxMs, resolve);
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
        if (!run.watching.delete(watching)) return;
        if (run.watching.size === 0) this.#byId.delete(id);
        this.counts.add(client, -1);
      },
    };
  }

  /** Nudges those who watch a run. */
  moved(id: string): void {
    const run = this.#byId.get(id);
    if (run === undefined) return;
    run.version += 1;
    for (const { nudge } of run.watching) nudge();
  }

  /** Delivers a chunk of output to the streams that subscribe to output. */

  onOutput(event: OutputEvent): void {
    for (const { speak, output } of this.#byId.get(event.id)?.watching ?? []) if (output?.add(event) === true) speak();
  }

  #announceAll(): NextRun | void {
    if (this.#byId.size === 0) return { inMs: null };
    this.#announceIds([...this.#byId.keys()], false);
    this.#announceIds(
      [...this.#byId].flatMap(([id, { watching }]) =>
        [...watching].some(({ output }) => output !== null) ? [id] : [],
      ),
      true,
    );
  }

  #announceIds(ids: string[], output: boolean): void {
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) this.options.announce(ids.slice(at, at + IDS_AT_ONCE), output);
  }

  /** One query for all watched runs, whatever the number of their streams. */
  async #checkAll(): Promise<NextRun | void> {
    if (this.#byId.size === 0) return { inMs: null };
    const known: { id: string; next: number }[] = [];
    for (const [id, { next, feeds }] of this.#byId) {
      for (const feed of feeds.values()) feed.trim();
      // A host of an older version does not answer with the next record.
      if (next !== null) known.push({ id, next });
      else if (feeds.size > 0) this.moved(id);
    }
    for (let at = 0; at < known.length; at += IDS_AT_ONCE)
      for (const id of await this.options.look(known.slice(at, at + IDS_AT_ONCE))) this.moved(id);
  }

  /** Ends all streams. */
  close(): void {
    this.#open = false;
    void this.#announcing.stop();
    void this.#checking.stop();
    for (const { watching } of this.#byId.values()) for (const { nudge } of watching) nudge();
  }
}
