/**
 * Last line of defence before a log line is written: removes what looks like a credential. Code that logs must not rely
 * on it, as it cannot recognize every password.
 */

const HIDDEN = '***';

/** Names of members whose values are secret, in objects and in texts. */
const SECRET_NAME =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|credentials?|pass(?:word|phrase|wd)?|.*(?:secret|password|api[-_]?key|private[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|bot[-_]?token|client[-_]?secret)|token|key|code_verifier|signature|.*[-_](?:token|key|signature))$/i;

/** Patterns of credentials. Each keeps the text before the credential in the same match. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  // Users and passwords in URLs; a password may contain an @.
  [/(\b[a-z][\w+.-]{0,20}:\/\/)[^\s"'<>/?#]+@/gi, `$1${HIDDEN}@`],
  [/\b(bearer|basic|digest|negotiate)(\s+)[\w.~+/=:-]{6,}/gi, `$1$2${HIDDEN}`],
  // JSON Web Tokens.
  [/\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, HIDDEN],
  // Keys by their prefixes: our own, OpenAI's, Stripe's, Slack's, GitHub's, Google's, Amazon's.
  [/\b(?:evs|evw|sk|rk|pk|whsec|xox[a-z]|gh[a-z]|github_pat|glpat|shpat)[-_](?=[\w-]*\d)[\w-]{12,}/g, HIDDEN],
  [/\b(?:AIza|ya29\.|AKIA|ASIA)[\w-]{12,}/g, HIDDEN],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
];

/**
 * The beginning of `name=value` and `"name": "value"` in queries, forms, headers and JSON; and the value that follows.
 */
const NAMED = /(["']?)([\w.-]{1,64})\1\s*[:=]\s*/g;
const VALUE = /"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&;,{}[\]]+/y;
/** Values that reveal nothing. */
const EMPTY = /^(?:["']?\**["']?|null|true|false)$/;

/** Longer texts are cut: matching patterns over megabytes would block the process. */
const MAX_TEXT_CHARACTERS = 16_384;
const MAX_DEPTH = 6;
const MAX_MEMBERS = 100;

/** Redacts credentials in a text. */
export function redactText(text: string): string {
  const cut =
    text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}... (${text.length} characters)` : text;
  return hideNamed(FORMS.reduce((left, [form, instead]) => left.replace(form, instead), cut));
}

/** Redacts the values of secret names. */
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

/** Makes a value safe to log: texts and secret members redacted, depth and size limited. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return typeof value === 'function' ? undefined : value;
  if (depth >= MAX_DEPTH) return '...';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toJSON();
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map((one) => redactValue(one, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_MEMBERS)
      .map(([name, member]) => [redactText(name), hides(name, member) ? HIDDEN : redactValue(member, depth + 1)]),
  );
}

const hides = (name: string, member: unknown): boolean =>
  SECRET_NAME.test(name) &&
  member !== null &&
  member !== undefined &&
  typeof member !== 'boolean' &&
  typeof member !== 'number';

/** The type, message, stack and causes of an error. Other properties, such as the failed request, are dropped. */
export function redactError(fault: Error, depth = 0): Record<string, unknown> {
  const { name, message, stack, cause } = fault;
  const code: unknown = 'code' in fault ? fault.code : undefined;
  return {
    type: name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: redactValue(code) } : {}),
    message: redactText(message),
    stack: redactText(stack ?? ''),
    ...(cause === undefined || depth >= MAX_DEPTH ? {} : { cause: redactValue(cause, depth + 1) }),
  };
}
