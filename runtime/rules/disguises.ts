/** Shortest part of a base64 text that tells enough of a value to be looked for. */
const SHORTEST_BASE64 = 8;

/**
 * The forms in which a value travels, always in the same order; empty where a form says too little. Percent-encoded
 * (RFC 3986, both cases), as a form field, inside JSON text, hex, and base64, plain and for URLs (RFC 4648): whole, and
 * at each of the three alignments that the value can have in a longer text (`user:value` of an Authorization header).
 */
export function disguises(value: string): string[] {
  const bytes = Buffer.from(value);
  // By way of the bytes: a lone surrogate has no encoding, and becomes U+FFFD as it would on its way out.
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
  ];
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** The characters that depend on the value alone when `shift` bytes (modulo 3) stand before it. */
function base64At(value: Buffer, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), value]);
  const text = bytes.toString('base64').replace(/=+$/, '');
  const whole = text.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1);
  return whole.length >= SHORTEST_BASE64 ? whole : '';
}
