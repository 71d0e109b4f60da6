import { decodeValue } from '../bson/decode';
import { findElement, type RawPath } from '../bson/raw';
import { ServerError } from '../bson/error';
import type { Value } from '../bson/value';
import { endOfCString, endOfValue, int32At, TYPE } from '../bson/wire';

/** Maximum nesting of stored documents, as in MongoDB. */
const MAX_DEPTH = 180;

const malformed = (why: string): ServerError => new ServerError(22, `invalid BSON: ${why}`);

/**
 * Validates the document in `bytes` from `start` to `end`: every length, terminator and type, and the nesting. Bytes of
 * clients are validated here once; later code relies on it.
 * @throws ServerError 22 (InvalidBSON), or 15 (Overflow) when nested too deeply
 */
export function validateBson(bytes: Uint8Array, start = 0, end = bytes.length, depth = 1): void {
  if (depth > MAX_DEPTH) throw new ServerError('Overflow', `document exceeds the nesting limit of ${MAX_DEPTH} levels`);
  if (end - start < 5 || int32At(bytes, start) !== end - start || bytes[end - 1] !== 0) throw malformed('bad length');
  const last = end - 1;
  let at = start + 4;
  while (at < last) {
    const type = bytes[at] as number;
    const valueAt = endOfCString(bytes, at + 1) + 1;
    at = endOfValue(bytes, type, valueAt);
    if (at > last) throw malformed('element exceeds its document');
    if (type > TYPE.double) validateValue(bytes, type, valueAt, at, depth);
  }
  if (at !== last) throw malformed('bad length');
}

function validateValue(bytes: Uint8Array, type: number, start: number, end: number, depth: number): void {
  switch (type) {
    case TYPE.object:
    case TYPE.array:
      return validateBson(bytes, start, end, depth + 1);
    case TYPE.string:
    case TYPE.code:
    case TYPE.symbol:
      if (bytes[end - 1] !== 0) throw malformed('unterminated string');
      return;
    case TYPE.boolean:
      if ((bytes[start] as number) > 1) throw malformed('bad boolean');
      return;
    case TYPE.binary:
      // The old subtype 2 repeats the length inside; unchecked, the stored document could not be read again.
      if (bytes[start + 4] === 2 && (end - start < 9 || int32At(bytes, start + 5) !== end - start - 9))
        throw malformed('bad length of binary subtype 2');
      return;
    case TYPE.codeWithScope: {
      const scope = start + 8 + int32At(bytes, start + 4);
      if (scope < start + 9 || scope + 5 > end) throw malformed('bad scope');
      return validateBson(bytes, scope, end, depth + 1);
    }
  }
}

/** Position of a value: `type` at `at`. `locate` reuses one object, so read it before the next call. */
export interface Located {
  type: number;
  at: number;
}

/** Result of `locate`: nothing, one value, or an array on the path or at its end (handled differently). */
type LocateResult = 'missing' | 'value' | 'array';

/** Follows a path through nested documents without decoding; the position goes to `out`. */
export function locate(bytes: Uint8Array, path: RawPath, out: Located): LocateResult {
  let start = 0;
  for (let depth = 0; ; depth++) {
    const name = path[depth] as Uint8Array;
    const at = findElement(bytes, name, start);
    if (at < 0) return 'missing';
    const type = bytes[at] as number;
    if (type === TYPE.array) return 'array';
    start = at + name.length + 2;
    if (depth === path.length - 1) {
      out.type = type;
      out.at = start;
      return 'value';
    }
    if (type !== TYPE.object) return 'missing';
  }
}

/** One element of a document: its name, type, and the bounds of its value. */
export interface Element {
  readonly name: string;
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/** The elements of the document at `start`, in order, not decoded. */
export function elements(bytes: Uint8Array, start = 0): Element[] {
  const found: Element[] = [];
  const last = start + int32At(bytes, start) - 1;
  let at = start + 4;
  while (at < last) {
    const type = bytes[at] as number;
    const nameEnd = endOfCString(bytes, at + 1);
    const end = endOfValue(bytes, type, nameEnd + 1);
    const name = Buffer.prototype.latin1Slice.call(bytes, at + 1, nameEnd);
    found.push({ name: isAscii(name) ? name : Buffer.from(name, 'latin1').toString(), type, start: nameEnd + 1, end });
    at = end;
  }
  return found;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** The decoded value of an element. */
export const elementValue = (bytes: Uint8Array, element: Element): Value =>
  decodeValue(bytes, element.type, element.start);

/** The bytes of the embedded document (or array) that an element holds. */
export const elementBytes = (bytes: Uint8Array, element: Element): Uint8Array =>
  bytes.subarray(element.start, element.end);
