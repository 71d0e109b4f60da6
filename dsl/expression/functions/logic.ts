import type { Json } from '../../../lib/json';
import type { LinkKind } from '../evaluation-context';
import { kindOf, toText, truthy } from '../values';
import type { Arguments, Family } from './arguments';

const FALSE_WORDS: ReadonlySet<string> = new Set(['', 'false', '0', 'no', 'off', 'null']);
/** With room for spaces around it. */
const MAX_FALSE_WORD_CHARS = 16;

/** Truthiness, with the words that forms and spreadsheets write for false. */
const toBoolean = (value: Json): boolean =>
  typeof value === 'string'
    ? value.length > MAX_FALSE_WORD_CHARS || !FALSE_WORDS.has(value.trim().toLowerCase())
    : truthy(value);

const approvalLink = (args: Arguments): Json => linkOf(args, args.word(1, ['approve', 'reject']));

const linkOf = (args: Arguments, kind: LinkKind): Json => {
  const stepId = args.text(0);
  if (args.env.stepLink === undefined) throw args.fail('is not available here');
  return args.env.stepLink(stepId, kind);
};

/** Functions about the value itself, its absence, and the run. */
export const logicFunctions: Family = {
  string: { min: 1, max: 1, call: (args) => toText(args.measured(0)) },
  boolean: { min: 1, max: 1, call: (args) => toBoolean(args.value(0)) },
  type: { min: 1, max: 1, call: (args) => kindOf(args.value(0)) },
  default: { min: 2, max: 2, call: (args) => args.lenient(0) ?? args.value(1) },
  exists: { min: 1, max: 1, call: (args) => args.lenient(0) !== null },
  approval_link: { min: 2, max: 2, call: approvalLink },
  form_link: { min: 1, max: 1, call: (args) => linkOf(args, 'form') },
};
