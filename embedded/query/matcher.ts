import type { Collation } from '../bson/collation';
import { ServerError } from '../bson/error';
import type { Doc, Value } from '../bson/value';

export { type Analysis, analyze, type Bound, type Limit } from './analyze';

export interface FilterOptions {
  collation?: Collation;
  /** Variables that `$expr` may read as `$$name`, already evaluated. */
  let?: ReadonlyMap<string, Value>;
  now?: Date;
}

/**
 * A filter as a predicate on decoded documents.
 * @throws ServerError BadValue and others for what MongoDB would refuse, and for operators that are not supported
 */
export function compileFilter(_filter: Doc, _options: FilterOptions = {}): (document: Doc) => boolean {
  throw new ServerError('NotImplemented', 'compileFilter');
}

/** The same on raw BSON: only the values that the filter names are decoded. */
export function compileRawFilter(_filter: Doc, _options: FilterOptions = {}): (bytes: Uint8Array) => boolean {
  throw new ServerError('NotImplemented', 'compileRawFilter');
}

/** What the positional `$` stands for: undefined for no match, -1 when it matched without an array. */
export function compilePositional(_filter: Doc, _options: FilterOptions = {}): (document: Doc) => number | undefined {
  throw new ServerError('NotImplemented', 'compilePositional');
}
