import type { Collection, Db, Document, UpdateFilter } from 'mongodb';

/**
 * A change of what is stored. Rules for every step:
 *
 *  M1  It may be done again, and gone on with in the middle: what is changed already is left alone.
 *  M2  `expand`: processes of the version before work on, with what is changed and with what is not yet. It runs by
 *      itself when a process of a new version starts.
 *  M3  `contract`: takes away what only the version before needs. It runs when the operator says that none is left.
 *  M4  Numbers are never used twice, and steps never change once they were released.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly kind: 'expand' | 'contract';
  /** Programs that do not know this step cannot work with the data behind it, and refuse to start. */
  readonly fences?: true;
  run(work: Work): Promise<void>;
}

/** What a step works with. */
export interface Work {
  readonly db: Db;
  /** Walks a collection in batches by `_id`, changes what `change` gives an update for, and remembers where it is. */
  walk<D extends Document & { _id: string }>(
    collection: string,
    filter: Document,
    change: (document: D) => Change<D> | null,
  ): Promise<void>;
}

/** An update of one document as it was read: `where` names what it rests on, so that a change meanwhile wins. */
export interface Change<D extends Document> {
  readonly where: Document;
  readonly update: UpdateFilter<D>;
}

/** What is on record of a step. `position`: collection and `_id` up to which everything is done. */
export interface StepRecord {
  readonly _id: string;
  readonly state: 'running' | 'done';
  readonly position: { readonly collection: string; readonly id: string } | null;
  /** Documents that it has changed. */
  readonly changed: number;
  readonly done_at: Date | null;
}

/** What programs must know to work with the data. */
export interface FenceRecord {
  readonly _id: 'fence';
  /** Number of a step. */
  readonly needs: number;
  /** The version that has done it. */
  readonly version: string;
}

/** Steps and the fence stand beside each other. */
const COLLECTION = 'migrations';
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;

export const recordsOf = (db: Db): Collection<StepRecord> => db.collection(COLLECTION, DURABLE);
export const fencesOf = (db: Db): Collection<FenceRecord> => db.collection(COLLECTION, DURABLE);

/** Why a program that knows these steps must not touch the data; null when it may. Pure. */
export function refusalOf(fence: FenceRecord | null, steps: readonly Migration[], version: string): string | null {
  if (fence === null || steps.some(({ number }) => number === fence.needs)) return null;
  return `The data was changed by version ${fence.version} in a way (step ${fence.needs}) that this version, ${version}, does not know: start ${fence.version} or a newer one, or restore a backup from before`;
}

/** Which steps are to be done, in their order: those of these kinds that are not done yet. Pure. */
export const pendingOf = (
  steps: readonly Migration[],
  done: ReadonlySet<number>,
  kinds: readonly Migration['kind'][],
): Migration[] =>
  steps.filter(({ number, kind }) => kinds.includes(kind) && !done.has(number)).sort((a, b) => a.number - b.number);
