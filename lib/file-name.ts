const MAX_NAME_BYTES = 255;

/**
 * Sanitizes a client's file name for display and storage: one line, no direction overrides, no folders, at most 255
 * bytes of UTF-8. Pure.
 */
export function safeFileName(filename: string): string {
  const plain = filename
    .slice(0, MAX_NAME_BYTES * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, '')
    .replace(/[/\\]/g, '_')
    .normalize('NFC')
    .trim();
  let name = '';
  let bytes = 0;
  for (const character of plain) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    name += character;
  }
  return name === '' || name === '.' || name === '..' ? 'file' : name;
}
