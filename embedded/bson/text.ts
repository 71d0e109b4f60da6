/** Below this many bytes building an ASCII string here beats the call into the runtime (measured on Node 20). */
const SHORT_STRING = 16;

/**
 * Recently seen field names by hash. The same few names recur in every document, and an interned string makes
 * `Map.set` about twice as fast as a fresh one because its hash is known.
 */
const names: (string | undefined)[] = Array.from({ length: 4096 });

/** Text of the UTF-8 bytes in [from, to). */
export function utf8(bytes: Buffer, from: number, to: number): string {
  const length = to - from;
  if (length > SHORT_STRING) return bytes.toString('utf8', from, to);
  let text = '';
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x7f) return bytes.toString('utf8', from, to);
    text += String.fromCharCode(byte);
  }
  return text;
}

/** A field name, interned. `to` is where its terminating zero byte lies. */
export function internedName(bytes: Buffer, from: number, to: number): string {
  let hash = 0;
  for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  const slot = (hash ^ (hash >>> 12)) & 4095;
  const known = names[slot];
  if (known !== undefined && known.length === to - from && sameAscii(bytes, from, known)) return known;
  const name = utf8(bytes, from, to);
  // One byte a character means ASCII, which is what the comparison above can read.
  if (name.length === to - from) names[slot] = name;
  return name;
}

function sameAscii(bytes: Buffer, from: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[from + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
