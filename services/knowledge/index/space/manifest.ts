/**
 * What an index consists of at an instant, and how that changes. Pure.
 *
 *  M1  A manifest changes as a whole, from one stamp to the next, or not at all. Who finds another stamp than he has seen
 *      begins anew with what he finds.
 *  M2  `seq` rises with every change. A segment has that of the change it came with; a merged one has the highest of those
 *      that it is made of, so what was put or removed while it was made is newer than all of it.
 *  M3  Of a document at most one revision is alive: what comes takes the place of what is older, by a tombstone that names
 *      the change; what is older than what is there is dead from the beginning.
 *  M4  A tombstone stays as long as a segment has something that it makes dead.
 */
import { type DocumentTable, kills, type Tombstone } from '../segment/documents';

/** A segment as its manifest names it. */
export interface SegmentEntry {
  readonly id: string;
  readonly seq: number;
  readonly documents: number;
  readonly rows: number;
  /** Of all that is stored of it. */
  readonly bytes: number;
}

export interface Manifest {
  /** Another one after every change, and never one that was there before. */
  readonly stamp: string;
  readonly seq: number;
  readonly segments: readonly SegmentEntry[];
  readonly tombstones: readonly Tombstone[];
}

/** What a manifest can be changed into. */
export type Contents = Omit<Manifest, 'stamp'>;

export const EMPTY: Contents = { seq: 0, segments: [], tombstones: [] };

/** The documents of segments, by the segment's id. */
export type Tables = ReadonlyMap<string, DocumentTable>;

/** One change: segments with these documents come, those documents go. No document is in both. */
export interface Change {
  readonly segments: readonly Omit<SegmentEntry, 'seq'>[];
  readonly put: readonly { readonly id: string; readonly revision: number }[];
  readonly removed: readonly string[];
}

/** A document that is alive in a segment. */
interface Found {
  readonly seq: number;
  readonly revision: number;
}

/** The contents after a change. `tables`: of all segments that are there. Null when nothing changes. */
export function changed(now: Contents, change: Change, tables: Tables): Contents | null {
  const seq = now.seq + 1;
  const stones = new Map(now.tombstones.map((stone) => [stone.id, stone]));
  for (const { id, revision } of change.put) {
    const newest = newestOf(id, now, stones.get(id), tables);
    if (newest === null) continue;
    // M3: an older revision must not hide the newer one, which is in a segment from before.
    if (newest.revision > revision) stones.set(id, { id, seq: stones.get(id)?.seq ?? 0, revision: newest.revision });
    else stones.set(id, { id, seq, revision });
  }
  let removed = 0;
  for (const id of change.removed) {
    if (newestOf(id, now, stones.get(id), tables) === null) continue;
    stones.set(id, { id, seq, revision: 0 });
    removed += 1;
  }
  if (removed === 0 && change.segments.length === 0) return null;
  const segments = [...now.segments, ...change.segments.map((segment) => ({ ...segment, seq }))];
  return { seq, segments, tombstones: [...stones.values()] };
}

function newestOf(id: string, { segments }: Contents, stone: Tombstone | undefined, tables: Tables): Found | null {
  let newest: Found | null = null;
  for (const segment of segments) {
    const table = tableOf(tables, segment.id);
    for (const at of table.find(id)) {
      const revision = table.revision(at);
      if (stone !== undefined && kills(stone, segment.seq, revision)) continue;
      if (newest === null || revision > newest.revision) newest = { seq: segment.seq, revision };
    }
  }
  return newest;
}

/** A merge that is done: `merged` (null for nothing) instead of the segments `from`. */
export interface Merge {
  readonly from: readonly string[];
  readonly merged: Omit<SegmentEntry, 'seq'> | null;
}

/**
 * The contents after a merge; null when one of its segments is not there any more. `tables`: of all segments that are
 * there, and of the merged one.
 */
export function merged(now: Contents, { from, merged: entry }: Merge, tables: Tables): Contents | null {
  const gone = new Set(from);
  const old = now.segments.filter(({ id }) => gone.has(id));
  if (old.length < gone.size) return null;
  const seq = Math.max(...old.map((segment) => segment.seq));
  const rest = now.segments.filter(({ id }) => !gone.has(id));
  const segments = entry === null ? rest : [{ ...entry, seq }, ...rest];
  const needed = (stone: Tombstone): boolean =>
    segments.some((segment) => {
      const table = tableOf(tables, segment.id);
      return [...table.find(stone.id)].some((at) => kills(stone, segment.seq, table.revision(at)));
    });
  return { seq: now.seq + 1, segments, tombstones: now.tombstones.filter(needed) };
}

function tableOf(tables: Tables, id: string): DocumentTable {
  const table = tables.get(id);
  if (table === undefined) throw new Error(`The documents of the segment ${id} are not at hand`);
  return table;
}
