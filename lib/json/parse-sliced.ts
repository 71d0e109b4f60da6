import { isUtf8 } from 'node:buffer';
import type { Json } from '../json';
import { decodeSliced } from '../decode-sliced';
import { nextTurn, TimeSlice } from '../time-slices';
import { JsonBuilder, PART_LENGTH } from './builder';
import { faultOffset, faultOffsetSliced, syntaxError } from './json-fault';
import { JsonError, type JsonLimits } from './limits';
import { JsonScanner } from './scanner';

/** Texts below this length are parsed at once, which takes less than a slice. */
const SHORT_LENGTH = 64 * 1024;
/** Characters scanned between two clock checks. */
const SCAN_LENGTH = 64 * 1024;

/**
 * Parses JSON with the result of `JSON.parse`, in slices of the main thread. Limits are checked before what exceeds
 * them is parsed. Bytes must be UTF-8; a byte order mark is skipped. @throws JsonError
 */
export async function parseJsonSliced(input: string | Uint8Array, limits: JsonLimits): Promise<Json> {
  if (input.length <= SHORT_LENGTH) return parseJsonNow(typeof input === 'string' ? input : utf8(input), limits);
  await nextTurn();
  if (typeof input === 'string') return parseInParts(input, limits);
  assertUtf8(input);
  return parseInParts(await decodeSliced(input), limits);
}

/** The same at once, for short texts. @throws JsonError */
export function parseJsonNow(text: string, limits: JsonLimits): Json {
  try {
    new JsonScanner(text, limits).advance(text.length);
    return JSON.parse(text) as Json;
  } catch (fault) {
    if (fault instanceof JsonError && fault.refusal.kind !== 'syntax') throw fault;
    // The parser's message often has no position, and the scan only checks brackets.
    throw syntaxError(text, faultOffset(text) ?? 0);
  }
}

/** Parses in parts regardless of the length; `partLength` is for tests. @throws JsonError */
export async function parseInParts(text: string, limits: JsonLimits, partLength = PART_LENGTH): Promise<Json> {
  const slice = new TimeSlice();
  const builder = new JsonBuilder(text, partLength);
  const scanner = new JsonScanner(text, limits, builder);
  try {
    while (!scanner.advance(SCAN_LENGTH)) if (slice.due) await slice.pause();
    if (slice.due) await slice.pause();
    return builder.finish();
  } catch (fault) {
    if (!(fault instanceof JsonError) || fault.refusal.kind !== 'syntax') throw fault;
    const offset = await faultOffsetSliced(text);
    throw offset === null ? fault : syntaxError(text, offset);
  }
}

const decoder = new TextDecoder();

function utf8(bytes: Uint8Array): string {
  assertUtf8(bytes);
  return decoder.decode(bytes);
}

function assertUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) throw new JsonError({ kind: 'encoding' });
}
