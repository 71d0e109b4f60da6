import { createHash } from 'node:crypto';
import type { Json } from '../json';
import { TimeSlice } from '../time-slices';

/** Length of text hashed at once. */
const PART_LENGTH = 64 * 1024;

/** `hashJson` in slices of the main thread. The value must not change meanwhile. */
export async function hashJsonSliced(value: Json): Promise<string> {
  const slice = new TimeSlice();
  const hash = createHash('sha256');
  for (const part of canonicalParts(value, { texts: [], length: 0 })) {
    hash.update(part);
    if (slice.due) await slice.pause();
  }
  return hash.digest('hex');
}

interface Pending {
  texts: string[];
  length: number;
}

function* canonicalParts(value: Json, pending: Pending): Generator<string> {
  yield* write(value, pending);
  yield pending.texts.join('');
}

function* write(value: Json, pending: Pending): Generator<string> {
  if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      pending.texts.push(before);
      before = ',';
      yield* write(item, pending);
    }
    pending.texts.push(value.length === 0 ? '[]' : ']');
    return;
  }
  if (typeof value === 'object' && value !== null) {
    let before = '{';
    const keys = Object.keys(value).sort();
    for (const key of keys) {
      pending.texts.push(`${before}${JSON.stringify(key)}:`);
      before = ',';
      yield* write(value[key] as Json, pending);
    }
    pending.texts.push(keys.length === 0 ? '{}' : '}');
    return;
  }
  const text = JSON.stringify(value);
  pending.texts.push(text);
  // Includes the punctuation.
  pending.length += text.length + 2;
  if (pending.length < PART_LENGTH) return;
  yield pending.texts.join('');
  pending.texts = [];
  pending.length = 0;
}
