import type { Collection } from './collection';
import { DamageError } from './damage';
import type { Environment, Snapshot } from './environment';
import type { Interval } from './intervals';
import type { IndexPlan, Plan } from './planner';
import { recordIdAtEnd } from './record-key';
import type { TimeSlice, Task } from './task';

/** Context of a scan: its snapshot and time slice. */
export interface Reader {
  readonly snapshot: Snapshot;
  readonly timeSlice: TimeSlice;
}

/** Visits a matching document; false ends the run, and the next run continues after it. */
type Visit = (recordId: number, bytes: Buffer) => boolean;

/** A resumable scan over the documents of a plan: it continues by key, whatever was written meanwhile. */
export interface Scan {
  readonly done: boolean;
  /** Visits documents until `visit` returns false or all are seen; yields when its slice is over. */
  run(reader: Reader, visit: Visit): Task<void>;
  /** Number of examined index keys and documents. */
  readonly examined: { keys: number; documents: number };
}

type Matches = ((bytes: Uint8Array) => boolean) | undefined;

/** @param matches the residual filter; undefined when the plan is exact */
export function openScan(env: Environment, collection: Collection, plan: Plan, matches: Matches): Scan {
  switch (plan.kind) {
    case 'collection':
      return new CollectionScan(env, collection.id, plan.reverse, matches);
    case 'index':
      return new IndexScan(env, collection, plan, matches);
    case 'union':
      return new UnionScan(plan.plans.map((each) => new IndexScan(env, collection, each, matches)));
  }
}

class CollectionScan implements Scan {
  done = false;
  readonly examined = { keys: 0, documents: 0 };
  private last: number | undefined;

  constructor(
    private readonly env: Environment,
    private readonly collectionId: number,
    private readonly reverse: boolean,
    private readonly matches: Matches,
  ) {}

  *run({ snapshot, timeSlice }: Reader, visit: Visit): Task<void> {
    while (!this.done) {
      let stop: 'visitor' | 'timeSlice' | undefined;
      const { reverse, last } = this;
      for (const { recordId, bytes } of this.env.at(snapshot).documents.rows(this.collectionId, { reverse, last })) {
        this.last = recordId;
        this.examined.documents++;
        if ((this.matches === undefined || this.matches(bytes)) && !visit(recordId, bytes)) stop = 'visitor';
        else if (timeSlice.due()) stop = 'timeSlice';
        if (stop !== undefined) break;
      }
      if (stop === undefined) this.done = true;
      if (stop !== 'timeSlice') return;
      yield;
    }
  }
}

class IndexScan implements Scan {
  done = false;
  readonly examined = { keys: 0, documents: 0 };
  private next = 0;
  private last: Buffer | undefined;
  /** A record may have several keys in a multikey index; it is visited once. */
  private readonly seen: Set<number> | undefined;

  constructor(
    private readonly env: Environment,
    private readonly collection: Collection,
    private readonly plan: IndexPlan,
    private readonly matches: Matches,
  ) {
    if (plan.index.multikey.includes(true) && plan.intervals.some(({ point }) => point === undefined))
      this.seen = new Set();
    else if (plan.index.multikey.includes(true) && plan.intervals.length > 1) this.seen = new Set();
  }

  *run(reader: Reader, visit: Visit): Task<void> {
    while (this.next < this.plan.intervals.length) {
      const interval = this.plan.intervals[this.next] as Interval;
      const stop =
        interval.point === undefined ? this.walk(interval, reader, visit) : this.look(interval.point, reader, visit);
      if (stop === undefined || (interval.point !== undefined && stop === 'visitor')) {
        this.next++;
        this.last = undefined;
      }
      if (stop === 'visitor') break;
      if (stop === 'timeSlice') yield;
    }
    if (this.next >= this.plan.intervals.length) this.done = true;
  }

  /** The one record of a unique key. */
  private look(key: Buffer, reader: Reader, visit: Visit): 'visitor' | undefined {
    const value = this.env.at(reader.snapshot).indexes.get(key);
    this.examined.keys++;
    return value === undefined || this.show(recordIdAtEnd(value), reader, visit) ? undefined : 'visitor';
  }

  private walk(interval: Interval, reader: Reader, visit: Visit): 'visitor' | 'timeSlice' | undefined {
    const { index, reverse } = this.plan;
    for (const { key, value } of this.env.at(reader.snapshot).indexes.rows(interval, { reverse, last: this.last })) {
      this.last = key;
      this.examined.keys++;
      if (!this.show(recordIdAtEnd(index.unique ? value : key), reader, visit)) return 'visitor';
      if (reader.timeSlice.due()) return 'timeSlice';
    }
    return undefined;
  }

  private show(recordId: number, reader: Reader, visit: Visit): boolean {
    if (this.seen !== undefined) {
      if (this.seen.has(recordId)) return true;
      this.seen.add(recordId);
    }
    const bytes = this.env.at(reader.snapshot).documents.get(this.collection.id, recordId);
    if (bytes === undefined) return this.skip(recordId, reader);
    this.examined.documents++;
    return this.matches !== undefined && !this.matches(bytes) ? true : visit(recordId, bytes);
  }

  /** An entry without its document: of an index that was dropped meanwhile, otherwise damage. */
  private skip(recordId: number, { snapshot, timeSlice }: Reader): true {
    const { index } = this.plan;
    const isOneState = snapshot.moved !== true && (snapshot.pin !== undefined || timeSlice.slice === 1);
    if (isOneState && this.collection.indexes.includes(index))
      throw new DamageError('indexes', index.id, `it has an entry of record ${recordId}, which is missing`);
    return true;
  }
}

class UnionScan implements Scan {
  done = false;
  private readonly seen = new Set<number>();
  private next = 0;

  constructor(private readonly scans: readonly Scan[]) {}

  get examined(): { keys: number; documents: number } {
    return this.scans.reduce(
      (sum, { examined }) => ({ keys: sum.keys + examined.keys, documents: sum.documents + examined.documents }),
      { keys: 0, documents: 0 },
    );
  }

  *run(reader: Reader, visit: Visit): Task<void> {
    let stopped = false;
    const once: Visit = (recordId, bytes) => {
      if (this.seen.has(recordId)) return true;
      this.seen.add(recordId);
      stopped = !visit(recordId, bytes);
      return !stopped;
    };
    while (this.next < this.scans.length) {
      const scan = this.scans[this.next] as Scan;
      yield* scan.run(reader, once);
      if (scan.done) this.next++;
      if (stopped) break;
    }
    if (this.next >= this.scans.length) this.done = true;
  }
}
