import { type Collation, SIMPLE } from '../bson/collation';
import type { Doc, Value } from '../bson/value';
import { match, onRaw } from './evaluate';
import type { ParseContext } from './node';
import { parseFilter } from './parse';
import { NO } from './walk';

export { type Analysis, analyze, type Bound, type Limit } from './analyze';

export interface FilterOptions {
  collation?: Collation;
  /** Variables that `$expr` may read as `$$name`, already evaluated. */
  let?: ReadonlyMap<string, Value>;
  now?: Date;
  /** Uniform in [0, 1), for `$sampleRate`. */
  random?: () => number;
}

const NO_VARIABLES: ReadonlyMap<string, Value> = new Map();

const contextOf = (options: FilterOptions): ParseContext => ({
  collation: options.collation ?? SIMPLE,
  let: options.let ?? NO_VARIABLES,
  now: options.now ?? new Date(),
  random: options.random ?? Math.random,
  parseFilter,
});

/**
 * A filter as a predicate on decoded documents.
 * @throws ServerError BadValue and others for what MongoDB would refuse, and for operators that are not supported
 */
export function compileFilter(filter: Doc, options: FilterOptions = {}): (document: Doc) => boolean {
  const node = parseFilter(filter, contextOf(options));
  return (document) => match(node, document) !== NO;
}

/** The same on raw BSON: only the values that the filter names are decoded. */
export function compileRawFilter(filter: Doc, options: FilterOptions = {}): (bytes: Uint8Array) => boolean {
  return onRaw(parseFilter(filter, contextOf(options)));
}

/** What the positional `$` stands for: undefined for no match, -1 when it matched without an array. */
export function compilePositional(filter: Doc, options: FilterOptions = {}): (document: Doc) => number | undefined {
  const node = parseFilter(filter, contextOf(options));
  return (document) => {
    const outcome = match(node, document);
    return outcome === NO ? undefined : outcome;
  };
}
