import { isUtf8 } from 'node:buffer';
import { decodeSliced } from '../decode-sliced';
import { AppError } from '../errors';
import { hexDigit } from '../hex-digit';
import { TimeSlice } from '../time-slices';
import { assertUtf8Charset, type ContentType } from './content-type';

/** Values by name; repeated names have a list. Without a prototype, so that `__proto__` is an ordinary name. */
export type Query = Record<string, string | string[]>;

const MAX_PAIRS = 1_000;
const NONE: Query = Object.freeze(Object.create(null) as Query);

/** Parses a query (WHATWG URL-encoded). Brackets in names have no meaning. @throws AppError */
export function parseQuery(text: string): Query {
  if (text === '') return NONE;
  assertFewPairs(text.split('&', MAX_PAIRS + 1));
  return namedValues(new URLSearchParams(text));
}

/** Maximum part of a body to decode at once. */
const PART_BYTES = 64 * 1024;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Parses a form body like a query, in slices of the main thread. @throws AppError */
export async function parseForm(bytes: Buffer, media: ContentType | null): Promise<Query> {
  assertUtf8Charset(media);
  if (!isUtf8(bytes)) throw new AppError('invalid_request', 'The body is not valid UTF-8');
  const body = BOM.equals(bytes.subarray(0, BOM.length)) ? bytes.subarray(BOM.length) : bytes;
  if (body.length <= PART_BYTES) return parseQuery(body.toString());
  const pairs = body.toString('latin1').split('&', MAX_PAIRS + 1);
  assertFewPairs(pairs);
  const slice = new TimeSlice();
  const decoded: [string, string][] = [];
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    decoded.push([await decode(name, slice), await decode(value, slice)]);
  }
  return namedValues(decoded);
}

/** Percent-decodes bytes (WHATWG URL section 1.3), each given as a character. */
async function decode(text: string, slice: TimeSlice): Promise<string> {
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (at % PART_BYTES === 0 && slice.due) await slice.pause();
    const code = text.charCodeAt(at);
    const escaped = code === 0x25 ? hexByte(text, at + 1) : -1;
    if (escaped >= 0) at += 2;
    bytes[length] = escaped >= 0 ? escaped : code === 0x2b ? 0x20 : code;
    length += 1;
  }
  return decodeSliced(bytes.subarray(0, length), true);
}

function hexByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at));
  const low = hexDigit(text.charCodeAt(at + 1));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** Values by name; a repeated name has a list. */
export function namedValues(pairs: Iterable<[string, string]>): Query {
  const query = Object.create(null) as Query;
  for (const [name, value] of pairs) {
    const known = query[name];
    query[name] = known === undefined ? value : Array.isArray(known) ? [...known, value] : [known, value];
  }
  return query;
}

function assertFewPairs(pairs: readonly string[]): void {
  if (pairs.length > MAX_PAIRS)
    throw new AppError('invalid_request', `At most ${MAX_PAIRS} query or form fields are allowed`);
}
