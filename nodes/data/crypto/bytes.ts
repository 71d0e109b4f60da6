import { misconfigured } from '../computed';

/** How bytes are written in text that is read. */
export const DECODINGS = ['utf8', 'hex', 'base64'] as const;
/** How bytes are written in text that is given out. */
export const ENCODINGS = ['hex', 'base64', 'base64url'] as const;

export type Decoding = (typeof DECODINGS)[number];
export type Encoding = (typeof ENCODINGS)[number];

const HEX = /^(?:[0-9a-f]{2})*$/i;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The bytes of a text; null when it is not written so. Base64 may be of either alphabet. */
export function bytesOf(text: string, encoding: Decoding | Encoding): Buffer | null {
  if (encoding === 'utf8') return Buffer.from(text, 'utf8');
  const written = encoding === 'hex' ? HEX.test(text) : BASE64.test(text);
  return written ? Buffer.from(text, encoding) : null;
}

/** The same of a key of the input. @throws Refusal that names it, and shows nothing of it */
export function bytesIn(name: string, text: string, encoding: Decoding): Buffer {
  const bytes = bytesOf(text, encoding);
  if (bytes === null) throw misconfigured(`"${name}" is not ${encoding}`);
  return bytes;
}
