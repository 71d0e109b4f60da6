import type { Doc, Maybe, Timestamp, Value } from '../bson/value';

/** The effect of an update on one document. */
export interface Change {
  readonly after: Buffer;
  /** The changed top-level fields; absent when any may have changed. */
  readonly fields?: ReadonlySet<string>;
}

/** Context of an update. */
export interface UpdateContext {
  /** The document is being inserted by an upsert, so `$setOnInsert` applies. */
  isInsert: boolean;
  /** The query filter, for the positional `$`. */
  filter?: Doc;
  now: Date;
  clusterTime: Timestamp;
}

/** Context of changing one document. */
export interface ApplyContext extends UpdateContext {
  /** The document as it was before the update. */
  original: Doc;
  /** The array position that the filter found, for `$`. @throws ServerError BadValue when it found none */
  position(): number;
  /** Whether an array element passes the array filter with this identifier. */
  passes(identifier: string, element: Value): boolean;
}

/** The change at the end of a path. */
export interface Leaf {
  /** The new value; the same reference for no change; undefined to remove. */
  apply(existing: Maybe, context: ApplyContext): Maybe;
  /** Whether a scalar on the path is an error. Otherwise the change has no effect. */
  needsPath(context: ApplyContext): boolean;
}

/** Compiles one operator's argument for one path. */
export type LeafOperator = (argument: Value, path: string) => Leaf;

export const always = (): boolean => true;
export const never = (): boolean => false;
