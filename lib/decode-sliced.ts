import { TimeSlice } from './time-slices';

const PART_BYTES = 1024 * 1024;

/** Decodes UTF-8; invalid bytes become replacement characters. `keepBom`: keeps a byte order mark. */
export async function decodeSliced(bytes: Uint8Array, keepBom = false): Promise<string> {
  const slice = new TimeSlice();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: keepBom });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    parts.push(decoder.decode(bytes.subarray(at, at + PART_BYTES), { stream: true }));
    if (slice.due) await slice.pause();
  }
  return parts.join('') + decoder.decode();
}
