import type { Doc, Value } from '../bson/value';
import { match, onRaw } from './evaluate';
import type { ParseContext } from './node';
import { parseFilter } from './parse';
import { NO } from './walk';

export { type Analysis, analyze, type Bound } from './analyze';

interface FilterOptions {
  /** Variables that `$expr` may read as `$$name`, already evaluated. */
  let?: ReadonlyMap<string, Value>;
  now?: Date;
}

const NO_VARIABLES: ReadonlyMap<string, Value> = new Map();

const contextOf = (options: FilterOptions): ParseContext => ({
  let: options.let ?? NO_VARIABLES,
  now: options.now ?? new Date(),
  parseFilter,
});

/**
 * Compiles a filter into a predicate on decoded documents.
 * @throws ServerError BadValue and others as MongoDB does, and for unsupported operators
 */
export function compileFilter(filter: Doc, options: FilterOptions = {}): (document: Doc) => boolean {
  const node = parseFilter(filter, contextOf(options));
  return (document) => match(node, document) !== NO;
}

/** The same on raw BSON: only the values that the filter names are decoded. */
export function compileRawFilter(filter: Doc, options: FilterOptions = {}): (bytes: Uint8Array) => boolean {
  return onRaw(parseFilter(filter, contextOf(options)));
}

/** The array position for the positional `$`: undefined without a match, -1 for a match without an array. */
export function compilePositional(filter: Doc, options: FilterOptions = {}): (document: Doc) => number | undefined {
  const node = parseFilter(filter, contextOf(options));
  return (document) => {
    const outcome = match(node, document);
    return outcome === NO ? undefined : outcome;
  };
}
