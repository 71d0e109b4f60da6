import { join } from 'node:path';
import { AppError } from '../../../../lib/errors';
import type { IndexHit, IndexMachine, IndexMachineOptions, IndexSpace, SearchOptions } from '../contract';
import type { IndexEngine, RowsKind, View } from '../engine/calls';
import { bestOf } from '../engine/parts';
import type { Operation } from './batch';
import { pageOf } from './listing';
import { type Manifest, type SegmentEntry } from './manifest';
import { Manifests, SegmentGone } from './manifests';
import { Merger, viewOf } from './merger';
import { Residents } from './residents';
import type { Space } from './space';
import { SegmentStore } from './store';
import { SegmentSweep } from './sweep';
import { Writer } from './writer';

/** Room for 200,000 chunks of 384 dimensions and their words; a larger index is read again for each search. */
const ROOM_BYTES = 512 * 1024 * 1024;
/** The manifest may change under a reader; that it does time and again has another reason. */
const MOST_TRIES = 5;

/** Works on some segments of a search. */
export type Work<T> = (engine: IndexEngine, view: View) => Promise<T>;

/** The machine behind both kinds of index: what they differ in is the rows. */
export class SegmentMachine implements IndexMachine {
  readonly #store: SegmentStore;
  readonly #manifests: Manifests;
  readonly #residents: Residents;
  readonly #writer: Writer;
  readonly #merger: Merger;
  readonly #sweep: SegmentSweep;

  constructor({ db, clock, warn, memoryBytes = ROOM_BYTES, inline, entry, inlineBytes }: IndexMachineOptions) {
    const store = new SegmentStore(db, inlineBytes);
    const manifests = new Manifests(store, clock);
    const worker = entry ?? join(__dirname, '..', 'engine', 'worker.js');
    const inThread = !(inline ?? (entry === undefined && __filename.endsWith('.ts')));
    const residents = new Residents({ store, room: memoryBytes, worker: inThread ? worker : null, warn });
    this.#merger = new Merger({ store, manifests, residents, clock }, warn);
    this.#writer = new Writer({ store, manifests, residents, clock }, (space) => this.#merger.look(space));
    this.#sweep = new SegmentSweep(store, clock, warn);
    this.#store = store;
    this.#manifests = manifests;
    this.#residents = residents;
  }

  createIndexes(): Promise<void> {
    return this.#store.createIndexes();
  }

  start(): void {
    this.#sweep.start();
  }

  async close(): Promise<void> {
    await this.#sweep.stop();
    const merged = this.#merger.close();
    await this.#residents.close();
    await merged;
    await this.#writer.settled();
  }

  /** Resolves when nothing is on its way in, and nothing is left to merge. */
  async settled(): Promise<void> {
    await this.#writer.settled();
    await this.#merger.settled();
  }

  /** Removes what no manifest names; answers how many segments. */
  sweep(): Promise<number> {
    return this.#sweep.run();
  }

  change(space: Space, operation: Operation): Promise<void> {
    return this.#writer.change(space, operation);
  }

  /** Removes all generations of a kind, or one. */
  async drop(space: IndexSpace, kind: RowsKind['kind'], generation?: number): Promise<void> {
    await this.#store.remove(await this.#store.dropManifests(space, kind, generation));
  }

  /**
   * The best of what `ask` finds in groups of segments that are in memory together. `prepare` sees all groups before, as
   * scores may depend on all of them.
   */
  async search<T>(
    space: Space,
    { limit, signal }: SearchOptions,
    prepare: (groups: readonly (<R>(work: Work<R>) => Promise<R>)[]) => Promise<T>,
    ask: (engine: IndexEngine, view: View, prepared: T) => Promise<IndexHit[]>,
  ): Promise<IndexHit[]> {
    return this.#reading(space, async (manifest) => {
      signal?.throwIfAborted();
      const groups = this.#residents
        .groups(space, manifest.segments)
        .map((segments) => this.#group(space, manifest, segments));
      const prepared = await prepare(groups);
      const hits: IndexHit[] = [];
      for (const within of groups) hits.push(...(await within((engine, view) => ask(engine, view, prepared))));
      return bestOf(hits, limit);
    });
  }

  documents(space: Space, after: string | null, limit: number): Promise<{ id: string; revision: number }[]> {
    return this.#reading(space, async (manifest) =>
      pageOf(manifest, await this.#manifests.tables(space, manifest), after, limit),
    );
  }

  #group(space: Space, manifest: Manifest, segments: readonly SegmentEntry[]) {
    return <R>(work: Work<R>): Promise<R> =>
      this.#residents.with(space, segments, (engine) => work(engine, viewOf(manifest, segments)));
  }

  /** Reads by the manifest that is there now, and again where it changes meanwhile. */
  async #reading<T>(space: Space, read: (manifest: Manifest) => Promise<T[]>): Promise<T[]> {
    for (let tries = 1; ; tries++) {
      const manifest = await this.#manifests.current(space);
      if (manifest === null) return [];
      try {
        return await read(manifest);
      } catch (fault) {
        if (!(fault instanceof SegmentGone)) throw fault;
        if (tries === MOST_TRIES)
          throw new AppError(
            'internal',
            'A part of the index is missing; remove the index, and it is made anew',
            {},
            { cause: fault },
          );
      }
    }
  }
}
