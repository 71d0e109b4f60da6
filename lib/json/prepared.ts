import { createHash } from 'node:crypto';
import { type Json, type JsonObject, jsonSize } from '../json';
import { TimeSlice } from '../time-slices';
import { INTERNAL } from '../fair-scheduler';
import { stringifyJsonSliced } from './stringify-sliced';

/** The JSON text of a value, and its SHA-256 in lower-case hex. */
interface PreparedJson {
  readonly json: string;
  readonly hash: string;
}

/** Shorter texts are serialized where they are needed. */
const MIN_LENGTH = 128 * 1024;
const HASHED_AT_ONCE = 1024 * 1024;

const prepared = new WeakMap<object, PreparedJson>();

/** Cached facts of a value that must not change any more. */
export const preparedJson = (value: unknown): PreparedJson | undefined =>
  typeof value === 'object' && value !== null ? prepared.get(value) : undefined;

/** Approximate number of characters of a value's JSON text. */
export const sizeOfJson = (value: Json): number => preparedJson(value)?.json.length ?? jsonSize(value);

/** Caches the text that a value was parsed from. */
export function notePreparedJson(value: Json, json: PreparedJson): void {
  if (typeof value === 'object' && value !== null && json.json.length >= MIN_LENGTH) prepared.set(value, json);
}

/**
 * Serializes a large value in slices, so that its text, hash and size are available at once later. Null for a small
 * one. `key`: the tenant or client, as in `fair-scheduler.ts`. The value must not change afterwards.
 */
export const prepareJson = (value: Json, key = INTERNAL): Promise<void> | null =>
  isUnprepared(value) ? prepare(value, key) : null;

/** True of a large value that has not been prepared. */
export const isUnprepared = (value: Json): value is JsonObject | Json[] =>
  typeof value === 'object' && value !== null && !prepared.has(value) && jsonSize(value, MIN_LENGTH) > MIN_LENGTH;

async function prepare(value: object, key: string): Promise<void> {
  const json = (await stringifyJsonSliced(value, undefined, key)) as string;
  prepared.set(value, { json, hash: await hashSliced(json, key) });
}

/** SHA-256 of a text in UTF-8, in lower-case hex. */
async function hashSliced(text: string, key = INTERNAL): Promise<string> {
  const slice = new TimeSlice(key);
  const hash = createHash('sha256');
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + HASHED_AT_ONCE, text.length);
    // Lone surrogates have no UTF-8.
    if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end -= 1;
    hash.update(text.slice(at, end), 'utf8');
    at = end;
    if (slice.due) await slice.pause();
  }
  return hash.digest('hex');
}
