import type { Collection } from './collection';
import type { Environment, Snapshot } from './environment';
import type { Interval } from './intervals';
import type { IndexPlan, Plan } from './planner';
import { recordIdAtEnd } from './record-key';
import type { Pace, Task } from './task';

/** How a scan reads: from where, and at what pace. */
export interface Reader {
  readonly snapshot: Snapshot;
  readonly pace: Pace;
}

/** Sees one matching document; false ends the run, and the next run goes on behind it. */
export type Visit = (recordId: number, bytes: Buffer) => boolean;

/** A walk over the documents of a plan that can be left and taken up again by key, whatever was written in between. */
export interface Scan {
  readonly done: boolean;
  /** Visits documents until `visit` says stop or all are seen; yields when its slice is over. */
  run(reader: Reader, visit: Visit): Task<void>;
  /** Index keys and documents looked at. */
  readonly examined: { keys: number; documents: number };
}

type Matches = ((bytes: Uint8Array) => boolean) | undefined;

/** @param matches what is left of the filter; undefined when the plan is exact */
export function openScan(env: Environment, collection: Collection, plan: Plan, matches: Matches): Scan {
  switch (plan.kind) {
    case 'collection':
      return new CollectionScan(env, collection.id, plan.reverse, matches);
    case 'index':
      return new IndexScan(env, collection.id, plan, matches);
    case 'union':
      return new UnionScan(plan.plans.map((each) => new IndexScan(env, collection.id, each, matches)));
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

  *run({ snapshot, pace }: Reader, visit: Visit): Task<void> {
    while (!this.done) {
      let stop: 'visitor' | 'pace' | undefined;
      const { reverse, last } = this;
      for (const { recordId, bytes } of this.env.at(snapshot).documents.rows(this.collectionId, { reverse, last })) {
        this.last = recordId;
        this.examined.documents++;
        if ((this.matches === undefined || this.matches(bytes)) && !visit(recordId, bytes)) stop = 'visitor';
        else if (pace.due()) stop = 'pace';
        if (stop !== undefined) break;
      }
      if (stop === undefined) this.done = true;
      if (stop !== 'pace') return;
      yield;
    }
  }
}

class IndexScan implements Scan {
  done = false;
  readonly examined = { keys: 0, documents: 0 };
  private next = 0;
  private last: Buffer | undefined;
  /** A record may have several keys in an index over arrays; it is seen once. */
  private readonly seen: Set<number> | undefined;

  constructor(
    private readonly env: Environment,
    private readonly collectionId: number,
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
      if (stop === 'pace') yield;
    }
    if (this.next >= this.plan.intervals.length) this.done = true;
  }

  /** The one record of a unique key. */
  private look(key: Buffer, reader: Reader, visit: Visit): 'visitor' | undefined {
    const value = this.env.at(reader.snapshot).indexes.get(key);
    this.examined.keys++;
    return value === undefined || this.show(recordIdAtEnd(value), reader, visit) ? undefined : 'visitor';
  }

  private walk(interval: Interval, reader: Reader, visit: Visit): 'visitor' | 'pace' | undefined {
    const { index, reverse } = this.plan;
    for (const { key, value } of this.env.at(reader.snapshot).indexes.rows(interval, { reverse, last: this.last })) {
      this.last = key;
      this.examined.keys++;
      if (!this.show(recordIdAtEnd(index.unique ? value : key), reader, visit)) return 'visitor';
      if (reader.pace.due()) return 'pace';
    }
    return undefined;
  }

  private show(recordId: number, { snapshot }: Reader, visit: Visit): boolean {
    if (this.seen !== undefined) {
      if (this.seen.has(recordId)) return true;
      this.seen.add(recordId);
    }
    const bytes = this.env.at(snapshot).documents.get(this.collectionId, recordId);
    if (bytes === undefined) return true;
    this.examined.documents++;
    return this.matches !== undefined && !this.matches(bytes) ? true : visit(recordId, bytes);
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
