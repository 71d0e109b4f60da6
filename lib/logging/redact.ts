/**
 * The last net before a log line is written: what looks like a credential is taken out, whoever has put it there. Those who
 * write lines must not count on it: a password of any other form looks like a word.
 */

const HIDDEN = '***';

/** Names of members whose values are nobody's business, in objects and in texts that hold such. */
const SECRET_NAME =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|credentials?|pass(?:word|phrase|wd)?|.*(?:secret|password|api[-_]?key|private[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|bot[-_]?token|client[-_]?secret)|token|key|code_verifier|signature|.*[-_](?:token|key|signature))$/i;

/** What has the form of a credential, whatever stands around it. Each keeps what comes before it in the same match. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // Users and passwords of addresses; a password may hold an @.
  [/(\b[a-z][\w+.-]{0,20}:\/\/)[^\s"'<>/?#]+@/gi, `$1${HIDDEN}@`],
  [/\b(bearer|basic|digest|negotiate)(\s+)[\w.~+/=:-]{6,}/gi, `$1$2${HIDDEN}`],
  // JSON Web Tokens.
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  // Keys by the marks of those who give them: ours, OpenAI's, Stripe's, Slack's, GitHub's, Google's, Amazon's.
  [/\b(?:evs|evw|sk|rk|pk|whsec|xox[a-z]|gh[a-z]|github_pat|glpat|shpat)[-_](?=[\w-]*\d)[\w-]{12,}/g, HIDDEN],
  [/\b(?:AIza|ya29\.|AKIA|ASIA)[\w-]{12,}/g, HIDDEN],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
];

/** The beginning of `name=value` and `"name": "value"`, in queries, forms, headers and JSON; and a value that stands behind it. */
const NAMED = /(["']?)([\w.-]{1,64})\1\s*[:=]\s*/g;
const VALUE = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;,{}[\]]+/y;
/** These tell nothing. */
const EMPTY = /^(?:["']?\**["']?|null|true|false)$/;

/** Longer texts are cut: patterns over megabytes would hold up the process that wanted to log them. */
const LONGEST = 16_384;
const DEEPEST = 6;
const MOST_MEMBERS = 100;

/** A text without what looks like a credential. */
export function redactText(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}... (${text.length} characters)` : text;
  return hideNamed(FORMS.reduce((left, [form, instead]) => left.replace(form, instead), cut));
}

/** Hides the values that stand behind secret names. */
function hideNamed(text: string): string {
  let written = '';
  let from = 0;
  for (const { 0: head, 2: name = '', index } of text.matchAll(NAMED)) {
    VALUE.lastIndex = index + head.length;
    const value = index < from || !SECRET_NAME.test(name) ? null : VALUE.exec(text);
    if (value === null || EMPTY.test(value[0])) continue;
    const quote = /^["']/.exec(value[0])?.[0] ?? '';
    written += `${text.slice(from, value.index)}${quote}${HIDDEN}${quote}`;
    from = value.index + value[0].length;
  }
  return written + text.slice(from);
}

/** Any value as it may be written: texts redacted, members with secret names hidden, depth and size bounded. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value;
  if (depth >= DEEPEST) return '...';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (Array.isArray(value)) return value.slice(0, MOST_MEMBERS).map((one) => redactValue(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_MEMBERS)
      .map(([name, member]) => [redactText(name), hides(name, member) ? HIDDEN : redactValue(member, depth + 1)]),
  );
}

const hides = (name: string, member: unknown): boolean =>
  SECRET_NAME.test(name) &&
  member !== null &&
  member !== undefined &&
  typeof member !== 'boolean' &&
  typeof member !== 'number';

/**
 * A fault by its kind, words and place, with what has caused it. Whatever else libraries hang on their errors, such as the
 * request that failed, is not written.
 */
export function redactError(fault: Error, depth = 0): Record<string, unknown> {
  const { name, message, stack, cause } = fault;
  const code: unknown = 'code' in fault ? fault.code : undefined;
  return {
    type: name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: redactValue(code) } : {}),
    message: redactText(message),
    stack: redactText(stack ?? ''),
    ...(cause === undefined || depth >= DEEPEST ? {} : { cause: redactValue(cause, depth + 1) }),
  };
}
