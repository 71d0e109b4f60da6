import type { JsonObject } from '../../lib/json';

/** Keeps a byte order mark, which a signature covers like every other byte. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The very bytes of a body, given in base64, as a run sees them: as text where they are UTF-8, so that a signature over
 * the text is one over the bytes; else in base64, and `raw_encoding` says so.
 */
export function rawBody(base64: string): JsonObject {
  try {
    return { raw_body: strict.decode(Buffer.from(base64, 'base64')), raw_encoding: 'utf8' };
  } catch {
    // The one thing that a fatal decoder throws for: not UTF-8.
    return { raw_body: base64, raw_encoding: 'base64' };
  }
}
