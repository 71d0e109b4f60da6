import { DURABLE } from '../write-concern';
import type { Collection, Db, Document, UpdateFilter } from 'mongodb';

/**
 * A migration of stored data. Rules for every step:
 *
 * M1 It can be repeated and resumed: changed documents are left alone.
 * M2 `expand`: the previous version works with changed and unchanged data. It runs automatically when a process of
 *   the new version starts.
 * M3 `contract`: removes what only the previous version needs. It runs when the operator confirms that none is left.
 * M4 Numbers are never reused, and released steps never change.
 */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly kind: 'expand' | 'contract';
  /** Programs without this step cannot work with the changed data and refuse to start. */
  readonly fences?: true;
  run(work: Work): Promise<void>;
}

/** Context of a step. */
export interface Work {
  readonly db: Db;
  /** Walks a collection in batches by `_id`, applies the updates that `change` returns, and stores the position. */
  walk<D extends Document & { _id: string }>(
    collection: string,
    filter: Document,
    change: (document: D) => Change<D> | null,
  ): Promise<void>;
}

/** An update of one document as read: `where` names the fields it depends on, so that a concurrent change wins. */
export interface Change<D extends Document> {
  readonly where: Document;
  readonly update: UpdateFilter<D>;
}

/** Stored record of a step. `position`: collection and `_id` of the last processed document. */
export interface StepRecord {
  readonly _id: string;
  readonly state: 'running' | 'done';
  readonly position: { readonly collection: string; readonly id: string } | null;
  /** Number of changed documents. */
  readonly changed: number;
  readonly done_at: Date | null;
}

/** Minimum knowledge of programs that use the data. */
interface FenceRecord {
  readonly _id: 'fence';
  /** Number of a step. */
  readonly needs: number;
  /** Version that completed it. */
  readonly version: string;
}

/** Steps and the fence share a collection. */
const COLLECTION = 'migrations';

export const recordsOf = (db: Db): Collection<StepRecord> => db.collection(COLLECTION, DURABLE);
export const fencesOf = (db: Db): Collection<FenceRecord> => db.collection(COLLECTION, DURABLE);

/** Why a program with these steps must not use the data; null when it may. Pure. */
export function refusalOf(fence: FenceRecord | null, steps: readonly Migration[], version: string): string | null {
  if (fence === null || steps.some(({ number }) => number === fence.needs)) return null;
  return `The data was changed by version ${fence.version} in a way (step ${fence.needs}) that this version, ${version}, does not know: start ${fence.version} or a newer one, or restore a backup from before`;
}

/** Pending steps of these kinds, in order. Pure. */
export const pendingOf = (
  steps: readonly Migration[],
  done: ReadonlySet<number>,
  kinds: readonly Migration['kind'][],
): Migration[] =>
  steps.filter(({ number, kind }) => kinds.includes(kind) && !done.has(number)).sort((a, b) => a.number - b.number);
