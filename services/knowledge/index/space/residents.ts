/**
 * The engine of this process, and which segments it has in memory.
 *
 *  R1  A segment that somebody searches, or that is on its way in, is not dropped.
 *  R2  Segments that nobody has searched for longest are dropped when there is no room. What is searched at once is never
 *      more than a part of the room: an index larger than that is searched part by part.
 *  R3  When the engine is lost, nothing is loaded any more; whoever was waiting begins again with the next one.
 *  R4  What is searched at the same time is never more than the room, however many search: who finds none waits, in the order
 *      of coming. What is larger than the room by itself is searched alone.
 */
import { arenaBytes } from '../engine/arena';
import { EngineLost, type IndexEngine, type RowsKind } from '../engine/calls';
import { InlineEngine } from '../engine/inline';
import { EngineThread } from '../engine/thread';
import type { SegmentEntry } from './manifest';
import { SegmentGone } from './manifests';
import type { Space } from './space';
import type { SegmentStore } from './store';

/** Of the room, what one search may hold at once: others must find room beside it. */
const SHARE = 0.5;
const MOST_TRIES = 3;

interface Resident {
  readonly bytes: number;
  readonly loaded: Promise<void>;
  /** Those who use it, and who is loading it. */
  users: number;
}

/** Somebody who waits for room (R4). */
interface Waiting {
  readonly space: Space;
  readonly segments: readonly SegmentEntry[];
  enter(held: Held): void;
  reject(fault: unknown): void;
}

/** Segments that somebody uses, and the engine that has them. */
interface Held {
  readonly engine: IndexEngine;
  readonly residents: readonly Resident[];
}

export interface ResidentsOptions {
  readonly store: Pick<SegmentStore, 'read'>;
  /** Bytes. */
  readonly room: number;
  /** The compiled worker; null for an engine in this thread. */
  readonly worker: string | null;
  readonly warn: (message: string) => void;
}

export class Residents {
  #engine: IndexEngine | null = null;
  /** The one that has not been searched for longest is first. */
  #residents = new Map<string, Resident>();
  #bytes = 0;
  /** Of segments that somebody uses, also with an engine that is lost. */
  #usedBytes = 0;
  readonly #waiting: Waiting[] = [];
  #closed = false;

  constructor(private readonly options: ResidentsOptions) {}

  /** What is in memory now, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Segments in lists that may be searched at once (R2). */
  groups(space: Space, segments: readonly SegmentEntry[]): SegmentEntry[][] {
    const groups: SegmentEntry[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const segment of segments) {
      const weight = weightOf(segment, space.rows);
      if (bytes + weight > this.options.room * SHARE) {
        groups.push([]);
        bytes = 0;
      }
      bytes += weight;
      groups.at(-1)?.push(segment);
    }
    return groups;
  }

  /** Works with an engine that has these segments. @throws SegmentGone, EngineLost when it was lost time and again */
  async with<T>(
    space: Space,
    segments: readonly SegmentEntry[],
    work: (engine: IndexEngine) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { engine, residents } = await this.#enter(space, segments);
      try {
        await Promise.all(residents.map(({ loaded }) => loaded));
        return await work(engine);
      } catch (fault) {
        if (!(fault instanceof EngineLost) || this.#closed || tries === MOST_TRIES) throw fault;
      } finally {
        for (const resident of residents) this.#release(resident);
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#letIn();
    await this.#engine?.close();
  }

  /** Holds segments as soon as there is room for them. @throws EngineLost when the index is closed */
  #enter(space: Space, segments: readonly SegmentEntry[]): Promise<Held> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { space, segments, enter: resolve, reject };
      // Who makes a new segment needs no room, and waits for nobody.
      if (segments.length === 0) return this.#let(waiting);
      this.#waiting.push(waiting);
      this.#letIn();
    });
  }

  #letIn(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      if (!this.#closed && !this.#hasRoom(first)) return;
      this.#waiting.shift();
      this.#let(first);
    }
  }

  #let({ space, segments, enter, reject }: Waiting): void {
    try {
      const engine = this.#open();
      enter({ engine, residents: segments.map((segment) => this.#hold(space, segment, engine)) });
    } catch (fault) {
      reject(fault);
    }
  }

  #hasRoom({ space, segments }: Waiting): boolean {
    const more = segments
      .filter(({ id }) => (this.#residents.get(id)?.users ?? 0) === 0)
      .reduce((sum, segment) => sum + weightOf(segment, space.rows), 0);
    return this.#usedBytes === 0 || this.#usedBytes + more <= this.options.room;
  }

  #open(): IndexEngine {
    if (this.#closed) throw new EngineLost('The index is closed');
    if (this.#engine !== null) return this.#engine;
    const { worker } = this.options;
    const engine: IndexEngine =
      worker === null ? new InlineEngine() : new EngineThread(worker, (fault) => this.#lost(engine, fault));
    this.#engine = engine;
    return engine;
  }

  #lost(engine: IndexEngine, fault: Error): void {
    if (this.#engine !== engine) return;
    this.options.warn(`${fault.message}; another one takes its place`);
    this.#engine = null;
    this.#residents = new Map();
    this.#bytes = 0;
  }

  #hold(space: Space, segment: SegmentEntry, engine: IndexEngine): Resident {
    const known = this.#residents.get(segment.id);
    const resident = known ?? this.#load(space, segment, engine);
    this.#use(resident);
    // Behind all others: it is the last that was used.
    this.#residents.delete(segment.id);
    this.#residents.set(segment.id, resident);
    return resident;
  }

  #load(space: Space, segment: SegmentEntry, engine: IndexEngine): Resident {
    const bytes = weightOf(segment, space.rows);
    this.#bytes += bytes;
    this.#makeRoom();
    const load = async (): Promise<void> => {
      const found = await this.options.store.read(space, segment.id);
      if (found === null) throw new SegmentGone(`The segment ${segment.id} is gone`);
      await engine.ask('load', { id: segment.id, rows: space.rows, ...found });
    };
    const resident: Resident = { bytes, loaded: load(), users: 0 };
    this.#use(resident);
    void resident.loaded
      // Whoever holds it hears of it too.
      .catch(() => this.#forget(segment.id, resident))
      .finally(() => this.#release(resident));
    return resident;
  }

  #use(resident: Resident): void {
    if (resident.users === 0) this.#usedBytes += resident.bytes;
    resident.users += 1;
  }

  #release(resident: Resident): void {
    resident.users -= 1;
    if (resident.users === 0) this.#usedBytes -= resident.bytes;
    this.#makeRoom();
    this.#letIn();
  }

  #makeRoom(): void {
    if (this.#bytes <= this.options.room) return;
    for (const [id, resident] of [...this.#residents]) {
      if (this.#bytes <= this.options.room) return;
      if (resident.users > 0) continue;
      this.#forget(id, resident);
      // An engine that is lost meanwhile has nothing to drop.
      void this.#engine?.ask('drop', { id }).catch(() => undefined);
    }
  }

  #forget(id: string, resident: Resident): void {
    if (this.#residents.get(id) !== resident) return;
    this.#residents.delete(id);
    this.#bytes -= resident.bytes;
  }
}

/** Bytes that a segment takes in the engine. Beside what is stored, it keeps for each row whose it is and whether it is alive. */
function weightOf({ bytes, rows }: SegmentEntry, kind: RowsKind): number {
  const besides = rows * 5;
  if (kind.kind === 'lexical') return bytes + besides;
  const stored = rows * kind.dimension * Float32Array.BYTES_PER_ELEMENT;
  return bytes - stored + arenaBytes(rows, kind.dimension) + besides;
}
