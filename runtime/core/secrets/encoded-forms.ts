/** Minimum length of a base64 fragment; shorter ones match by chance. */
const MIN_BASE64_CHARS = 8;
/** Minimum length of a value whose other cases are redacted; shorter ones match by chance. */
const MIN_CASED_CHARS = 8;

/**
 * The encoded forms of a value, always in the same order; empty where a form is too short. Percent-encoded (RFC 3986,
 * both cases), as a form field, inside JSON text, hex, and base64, plain and for URLs (RFC 4648): whole, and at each of
 * the three alignments that the value can have in a longer text (`user:value` of an Authorization header). Last, in
 * lower and upper case, as some servers return names and headers that way.
 */
export function encodedForms(value: string): string[] {
  const bytes = Buffer.from(value);
  // Converted through bytes: a lone surrogate has no encoding, and becomes U+FFFD as it would when sent.
  const lax = encodeURIComponent(bytes.toString());
  const percent = lax.replace(/[!'()*]/g, hex);
  const base64 = [bytes.toString('base64'), ...[0, 1, 2].map((shift) => base64At(bytes, shift))];
  return [
    lax,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...(value.length < MIN_CASED_CHARS ? [] : [value.toLowerCase(), value.toUpperCase()]),
  ];
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** The characters that depend on the value alone when `shift` bytes (modulo 3) stand before it. */
function base64At(value: Buffer, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), value]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const whole = text.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1);
  return whole.length >= MIN_BASE64_CHARS ? whole : '';
}
