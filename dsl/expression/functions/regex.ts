import { RE2JS, RE2JSException } from 're2js';
import type { Json } from '../../../lib/json';
import { MAX_PATTERN } from '../limits';
import type { Arguments, Family } from './arguments';

/** Instructions of a compiled pattern. */
const MAX_PROGRAM = 20_000;
/** Instructions of all patterns that are kept compiled: some 100 bytes each. */
const CACHED_PROGRAMS = 200_000;
/** Operations for each instruction of a compiled pattern. */
const COMPILE_COST = 4;
const compiled = new Map<string, RE2JS>();
let cachedPrograms = 0;

/** Compiles a pattern once. RE2 matches in time linear in the text, whatever the pattern. */
function compile(args: Arguments, pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > MAX_PATTERN) throw args.fail(`the pattern is longer than ${MAX_PATTERN} characters`);
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw args.fail('the pattern is not a regular expression of the RE2 kind');
  }
  const size = regex.programSize();
  if (size > MAX_PROGRAM) throw args.fail('the pattern repeats too much');
  if (cachedPrograms + size > CACHED_PROGRAMS) {
    compiled.clear();
    cachedPrograms = 0;
  }
  compiled.set(pattern, regex);
  cachedPrograms += size;
  return regex;
}

/**
 * The pattern in argument 1, after paying for compiling it (known or not, so that the budget does not depend on other
 * runs) and for matching it: at worst each instruction is tried at each character.
 */
function pattern(args: Arguments, text: string): RE2JS {
  const regex = compile(args, args.text(1));
  args.spend(Math.ceil(regex.programSize() * (COMPILE_COST + text.length / 64)));
  return regex;
}

/** The first match's group: the third argument's by number or name, else the first group, else the whole match; or null. */
const extract = (args: Arguments): Json => {
  const text = args.text(0);
  const regex = pattern(args, text);
  const group = args.has(2) ? args.value(2) : Math.min(1, regex.groupCount());
  // Its declared type says less than its documentation: the shape of the built-in exec.
  const found = regex.exec(text) as RegExpExecArray | null;
  if (typeof group === 'string') {
    if (!Object.hasOwn(regex.namedGroups(), group)) throw args.fail('the pattern has no group of that name');
    return found?.groups?.[group] ?? null;
  }
  if (typeof group !== 'number' || !Number.isInteger(group) || group < 0 || group > regex.groupCount()) {
    throw args.fail('the pattern has no such group');
  }
  return found?.[group] ?? null;
};

const match = (args: Arguments): Json => {
  const text = args.text(0);
  return pattern(args, text).test(text);
};

/** Functions over regular expressions. */
export const regexFunctions: Family = {
  match: { min: 2, max: 2, call: match },
  extract: { min: 2, max: 3, call: extract },
};
