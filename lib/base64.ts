/** Decodes base64, ignoring white space; null for any other text. */
export function decodeBase64(text: string): Buffer | null {
  const packed = text.replace(/\s+/g, '');
  const bare = packed.replace(/={1,2}$/, '');
  return packed.length % 4 !== 0 || /[^A-Za-z0-9+/]/.test(bare) ? null : Buffer.from(packed, 'base64');
}
