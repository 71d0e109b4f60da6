/**
 * Extends `redact` to further texts: forms that a secret takes in a protocol, and parts of one that a server may quote.
 * Longer texts are replaced first, as a short one may be a part of a longer one.
 */
export function redactingAlso(redact: (text: string) => string, hidden: readonly string[]): (text: string) => string {
  const forms = [...new Set(hidden)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, '***'), redact(text));
}

/** One line of at most 300 characters of a text from outside, for an error message. Redact the text first. */
export function excerpt(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}...` : line;
}
