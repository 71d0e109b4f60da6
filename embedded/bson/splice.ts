import { decodeValue } from './decode';
import { encodeElement } from './encode';
import { findElement } from './raw';
import type { Maybe } from './value';
import { endOfValue } from './wire';

/** One top-level element of raw BSON; `at` is -1 when it is absent. */
interface ElementSpan {
  readonly name: string;
  readonly at: number;
  readonly end: number;
  readonly value: Maybe;
}

/** A top-level element and its new value; undefined removes it. */
export interface ElementChange {
  readonly place: ElementSpan;
  readonly value: Maybe;
}

export function placeOf(bytes: Uint8Array, name: string): ElementSpan {
  const raw = Buffer.from(name);
  const at = findElement(bytes, raw);
  if (at < 0) return { name, at, end: at, value: undefined };
  const type = bytes[at] as number;
  const start = at + raw.length + 2;
  return { name, at, end: endOfValue(bytes, type, start), value: decodeValue(bytes, type, start) };
}

/** The document with changed elements; new ones are appended in the order of `changes`. Other elements are copied as they are. */
export function withElements(bytes: Buffer, changes: readonly ElementChange[]): Buffer {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const { place, value } of changes
    .filter(({ place: { at } }) => at >= 0)
    .sort((a, b) => a.place.at - b.place.at)) {
    parts.push(bytes.subarray(from, place.at));
    if (value !== undefined) parts.push(encodeElement(place.name, value));
    from = place.end;
  }
  parts.push(bytes.subarray(from, bytes.length - 1));
  for (const { place, value } of changes)
    if (place.at < 0 && value !== undefined) parts.push(encodeElement(place.name, value));
  parts.push(bytes.subarray(bytes.length - 1));
  const out = Buffer.concat(parts);
  out.writeInt32LE(out.length, 0);
  return out;
}
