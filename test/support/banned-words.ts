/**
 * Words that names, comments, messages and pages must not use, because an engineer cannot search for what they stand for here.
 * Each rule matches single lines; names are split into words first (`NodeMeans` is read as `Node Means`).
 */
interface WordRule {
  readonly pattern: RegExp;
  readonly use: string;
}

/** A line that may break a rule. */
export interface WordException {
  readonly file: string;
  /** A part of the line. */
  readonly line: string;
  readonly reason: string;
}

const rule = (words: string, use: string): WordRule => ({ pattern: new RegExp(`\\b(?:${words})\\b`, 'i'), use });

const WORD_RULES: readonly WordRule[] = [
  rule('said|told', 'a plain verb: sent, reported, returned, notified'),
  rule('heard', 'received, subscribed'),
  rule('speech', 'output stream'),
  rule('wish(?:es|ed)?', 'platform call, request'),
  rule('doors?', 'endpoint'),
  rule('menus?', 'actions, list'),
  rule('kin', 'parent and child runs'),
  rule('errands?', 'outbox item'),
  rule('hungry', 'parked, waiting'),
  rule('bur(?:y|ies|ied|ial)', 'expire, remove'),
  rule('adopt(?:s|ed|er|ing)?', 'connect, take over'),
  rule('beyond', 'over the limit, after, more than'),
  rule('troubles?', 'fault, failure'),
  rule('belongings', 'resources'),
  rule('veil(?:s|ed)?', 'redactor'),
  rule('disguise[sd]?', 'encoded form'),
  rule('culprits?', 'failed step'),
  rule('neighbou?rs?', 'peer, other host'),
  rule('strangers?', 'unauthenticated caller'),
  rule('parcels?', 'offloaded message'),
  rule('slip(?:s|ped)?', 'reference'),
  rule('patience', 'grace period, retry'),
  rule('tidings', 'feed, events'),
  rule('breath', 'pause, yield'),
  rule('insist(?:s|ed)?', 'retry'),
  rule('whoever', 'the caller, the process that'),
  rule('nobody', 'no caller, no host'),
  rule('somebody', 'a user, a caller'),
  rule('for ever', 'without a limit, permanently'),
  rule('so often', 'an interval or a number: every 6 hours, more than 12 times'),
  rule('tak(?:es?|ing) the place of|in the place of', 'replaces'),
  rule('gone for (?:good|ever\\w*)', 'removed, invisible'),
  // As a noun. As a verb it is plain: "404 means that there is no such run".
  {
    pattern: /\b(?:by|no|the|its|their|his|own|other|all|node) means\b(?! (?:a|an|the|that|to)\b)|\bmeans of\b/i,
    use: 'capabilities, a way to',
  },
];

/** A limit is MAX_ or MIN_ with its unit: MAX_BODY_BYTES. */
const LIMIT_NAME = /\b(?:MOST|LEAST|LONGEST|DEEPEST)_[A-Z]/;

/** Names of the code as words: `nodeMeans`, `NODE_MEANS` and `node-means` are all `node Means`. */
const asWords = (line: string): string =>
  line
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll('_', ' ');

/** The rules that a line breaks, each as a sentence. */
export function wordFaults(line: string): string[] {
  const words = asWords(line);
  const found = WORD_RULES.flatMap(({ pattern, use }) => {
    const match = pattern.exec(words);
    return match === null ? [] : [`"${match[0]}" is a banned word; use: ${use}`];
  });
  const [limit] = LIMIT_NAME.exec(line) ?? [];
  return limit === undefined
    ? found
    : [...found, `"${limit}" starts the name of a limit; use MAX_ or MIN_ with a unit`];
}

/** `file:line: fault` for each line of a text that breaks a rule and has no exception. Adds the exceptions that matched to `used`. */
export function faultsOf(
  file: string,
  text: string,
  exceptions: readonly WordException[],
  used: Set<WordException> = new Set(),
): string[] {
  const own = exceptions.filter((exception) => exception.file === file);
  return text.split('\n').flatMap((line, index) => {
    const faults = wordFaults(line);
    if (faults.length === 0) return [];
    const exception = own.find((each) => line.includes(each.line));
    if (exception === undefined) return faults.map((fault) => `${file}:${index + 1}: ${fault}`);
    used.add(exception);
    return [];
  });
}
