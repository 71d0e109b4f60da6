import { createCache } from '../../lib/cache';
import type { Expression } from './ast';
import { parse } from './parser';

/** Limit of the cache: a document is checked, compiled and prepared one after the other. */
const MAX_CACHED_CHARS = 512 * 1024;
/** Overhead of a cache entry beside its source. */
const ENTRY_OVERHEAD_CHARS = 50;

const kept = createCache<Expression>({ maxSize: MAX_CACHED_CHARS });

/** The tree of an expression, which is never changed. @throws ExpressionError as `parse` does */
export function parsed(source: string): Expression {
  const known = kept.get(source);
  if (known !== undefined) return known;
  const tree = parse(source);
  kept.set(source, tree, { size: source.length + ENTRY_OVERHEAD_CHARS });
  return tree;
}
