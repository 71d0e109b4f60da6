/**
 * User-defined regular expressions. They are RE2's, linear in the text; their cost is limited before compiling, and
 * matching is interruptible (see lib/compute/time-slice).
 */
import { RE2JS } from 're2js';
import { tick } from '../compute/time-slice';
import { createCache } from '../cache';
import { costOf } from './cost';
import { compileRe2, Pattern } from './pattern';

export { Pattern } from './pattern';

export const PATTERN_LIMITS = {
  /** Maximum characters of the source. */
  length: 1_000,
  /** Maximum instructions of the compiled program. */
  instructions: 10_000,
  /** Maximum operations of about 50 ns to compile it. */
  operations: 400_000,
} as const;

/** Why a pattern is rejected. */
type PatternRefusal = 'too_long' | 'too_large' | 'invalid';

const REFUSALS: Readonly<Record<PatternRefusal, string>> = {
  too_long: `is longer than ${PATTERN_LIMITS.length} characters`,
  too_large: 'repeats too much, or has too many Unicode classes',
  invalid: 'is not a valid RE2 regular expression (no look-around, no back-references)',
};

export const refusalText = (refusal: PatternRefusal): string => REFUSALS[refusal];

/** Maximum instructions of cached patterns: about 100 bytes each. */
const MAX_KEPT_INSTRUCTIONS = 200_000;
/** Fixed cost of a cached pattern, in instructions. */
const ENTRY_INSTRUCTIONS = 50;

const kept = createCache<Pattern | PatternRefusal>({ maxSize: MAX_KEPT_INSTRUCTIONS });

/** Syntax: RE2's own, or that of JSON Schema and JavaScript, which is translated. */
type Notation = 're2' | 'javascript';

/** Compiles a pattern, or returns it from the cache. */
export function patternOf(source: string, notation: Notation = 're2'): Pattern | PatternRefusal {
  if (source.length > PATTERN_LIMITS.length) return 'too_long';
  const key = `${notation}:${source}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make(notation === 're2' ? source : RE2JS.translateRegExp(source));
  kept.set(key, made, { size: ENTRY_INSTRUCTIONS + (made instanceof Pattern ? made.instructions : 0) });
  return made;
}

function make(source: string): Pattern | PatternRefusal {
  const { instructions, operations } = costOf(source);
  if (instructions > PATTERN_LIMITS.instructions || operations > PATTERN_LIMITS.operations) return 'too_large';
  tick(operations);
  return compileRe2(source, instructions, operations) ?? 'invalid';
}
