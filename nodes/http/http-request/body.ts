import type { Json } from '../../../lib/json';
import { ANSWER_LIMITS, JsonError } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';

/** A body read for the next steps, or why it cannot be. */
type ReadBody = { kind: 'read'; body: Json } | { kind: 'unreadable'; problem: string };

const JSON_TYPE = /^application\/(?:[^;]+\+)?json$/;
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:.+\+xml|xml|javascript|x-javascript|ecmascript|x-www-form-urlencoded|x-ndjson|jsonl|yaml|x-yaml|toml|graphql|sql))$/;

/**
 * Parses a body as configured. `auto` follows the content type: JSON is parsed (text if it is invalid), text is decoded by
 * its charset, anything else is base64; without a type, UTF-8 is text.
 */
export async function readBody(
  bytes: Buffer,
  contentType: string,
  mode: 'auto' | 'json' | 'text' | 'base64',
): Promise<ReadBody> {
  switch (mode) {
    case 'base64':
      return { kind: 'read', body: bytes.toString('base64') };
    case 'text':
      return { kind: 'read', body: decodeText(bytes, contentType) };
    case 'json': {
      const parsed = await parseJson(decodeText(bytes, contentType));
      return parsed === undefined
        ? { kind: 'unreadable', problem: 'the body of the response is not valid JSON' }
        : { kind: 'read', body: parsed };
    }
    case 'auto': {
      const text = textOf(bytes, contentType);
      if (text === null) return { kind: 'read', body: bytes.toString('base64') };
      const parsed = JSON_TYPE.test(mediaType(contentType)) ? await parseJson(text) : undefined;
      return { kind: 'read', body: parsed === undefined ? text : parsed };
    }
  }
}

/** Read of an answer for its excerpt. */
const EXCERPT_BYTES = 128 * 1024;
/** Omitted before a cut, as half of a secret there would not be redacted. */
const UNSURE_CHARACTERS = 64 * 1024;

/** The start of an answer for an error message: one line of at most 200 characters, masked before it is cut. */
export function excerptOf(bytes: Buffer, contentType: string, mask: (text: string) => string): string {
  const text = textOf(bytes.subarray(0, EXCERPT_BYTES), contentType);
  if (text === null) return `(${bytes.length} bytes of ${mediaType(contentType) || 'unknown type'})`;
  const masked = mask(text);
  const line = (bytes.length > EXCERPT_BYTES ? masked.slice(0, -UNSURE_CHARACTERS) : masked)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}

const mediaType = (contentType: string): string => (contentType.split(';', 1)[0] as string).trim().toLowerCase();

/** The body as text; null if it is not text. */
function textOf(bytes: Buffer, contentType: string): string | null {
  const type = mediaType(contentType);
  if (JSON_TYPE.test(type) || TEXT_TYPE.test(type)) return decodeText(bytes, contentType);
  return type === '' ? asUtf8(bytes) : null;
}

/** The value, null for an empty text, undefined when it is no JSON within the limits. */
async function parseJson(text: string): Promise<Json | undefined> {
  if (text.trim() === '') return null;
  try {
    return await parseJsonSliced(text, ANSWER_LIMITS);
  } catch (fault) {
    if (fault instanceof JsonError) return undefined;
    throw fault;
  }
}

function decodeText(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset="?([\w.:-]+)"?/i.exec(contentType)?.[1] ?? 'utf-8';
  return decoderFor(charset).decode(bytes);
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    // RangeError, for an unknown charset; UTF-8 is the most likely one.
    return new TextDecoder();
  }
}

function asUtf8(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // TypeError, the decoder's word for "not UTF-8".
    return null;
  }
}
