import type { JsonObject } from '../json';

/** Keeps a byte order mark, which signatures cover. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The exact bytes of a body for a run: as text if they are UTF-8, so that a signature over the text equals one over the
 * bytes; otherwise in base64, with `raw_encoding`.
 */
export function rawBody(bytes: Buffer): JsonObject {
  try {
    return { raw_body: strict.decode(bytes), raw_encoding: 'utf8' };
  } catch {
    // A fatal decoder throws only for invalid UTF-8.
    return { raw_body: bytes.toString('base64'), raw_encoding: 'base64' };
  }
}
