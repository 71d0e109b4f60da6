import type { Collation } from '../bson/collation';
import type { Doc, Maybe, Timestamp, Value } from '../bson/value';

/** What an update may need besides the document. */
export interface UpdateContext {
  /** The document is being inserted by an upsert, so `$setOnInsert` applies. */
  isInsert: boolean;
  /** The query filter, for the positional `$`. */
  filter?: Doc;
  now: Date;
  clusterTime: Timestamp;
}

/** The context while one document is being changed. */
export interface ApplyContext extends UpdateContext {
  /** The document as it was before the update. */
  original: Doc;
  /** The array position that the filter found, for `$`. @throws ServerError BadValue when it found none */
  position(): number;
  /** Whether an array element passes the array filter with this identifier. */
  passes(identifier: string, element: Value): boolean;
}

/** What happens at the end of one path. */
export interface Leaf {
  /** The new value; the same reference for no change; undefined for none. */
  apply(existing: Maybe, context: ApplyContext): Maybe;
  /** Whether a scalar on the way is an error. Without it the change does nothing there. */
  needsPath(context: ApplyContext): boolean;
}

/** Compiles one operator's argument for one path. */
export type LeafOperator = (argument: Value, path: string, options: { collation: Collation }) => Leaf;

export const always = (): boolean => true;
export const never = (): boolean => false;
