/**
 * A mask that also covers these texts: forms that secrets take on their way, and parts of one that a server may quote.
 * Longer ones first, for a short one may be a part of a longer.
 */
export function masking(mask: (text: string) => string, hidden: readonly string[]): (text: string) => string {
  const forms = [...new Set(hidden)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '***'), mask(text));
}

/** The start of what the outside world said, for a message: one line of at most 300 characters. Masked before. */
export function excerpt(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}...` : line;
}
