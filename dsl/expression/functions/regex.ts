import type { Json } from '../../../lib/json';
import { Pattern, patternOf, refusalText } from '../../../lib/regex';
import type { Arguments, Family } from './arguments';

/** Operations of compiling a pattern, and instructions tried in matching it, for one of the budget. */
const COMPILED_FOR_ONE = 4;
const TRIED_FOR_ONE = 64;

/** The pattern in argument 1, after paying for compiling it: known or not, so that the budget does not depend on other runs. */
function pattern(args: Arguments): Pattern {
  const found = patternOf(args.text(1));
  if (!(found instanceof Pattern)) throw args.fail(`the pattern ${refusalText(found)}`);
  args.spend(Math.ceil(found.operations / COMPILED_FOR_ONE));
  return found;
}

/** The first match's group: the third argument's by number or name, else the first group, else the whole match; or null. */
const extract = (args: Arguments): Json => {
  const text = args.text(0);
  const regex = pattern(args);
  const group = args.has(2) ? args.value(2) : Math.min(1, regex.groupCount);
  args.spend(Math.ceil(regex.workOfGroups(text.length) / TRIED_FOR_ONE));
  if (typeof group === 'string') {
    if (!regex.hasGroup(group)) throw args.fail('the pattern has no group of that name');
    return regex.namedGroup(text, group);
  }
  if (typeof group !== 'number' || !Number.isInteger(group) || group < 0 || group > regex.groupCount) {
    throw args.fail('the pattern has no such group');
  }
  return regex.groups(text)?.[group] ?? null;
};

const match = (args: Arguments): Json => {
  const text = args.text(0);
  const regex = pattern(args);
  args.spend(Math.ceil(regex.workOf(text.length) / TRIED_FOR_ONE));
  return regex.test(text);
};

/** Functions over regular expressions. */
export const regexFunctions: Family = {
  match: { min: 2, max: 2, call: match },
  extract: { min: 2, max: 3, call: extract },
};
