import { type Json, jsonSize } from '../json';

/** Characters that stand around a member, about. */
const MEMBER_CHARS = 4;

/**
 * The beginning of a value: all of it when its JSON has at most `max` characters, else its shape with the first items of its lists
 * and the beginnings of its texts, as much as fits, about. A member gets at most half of the room that is left, so that a large one
 * does not hide those after it. Takes time for what fits, not for all that there is.
 */
export function beginningOf(value: Json, max: number): { readonly value: Json; readonly truncated: boolean } {
  if (jsonSize(value, max) <= max) return { value, truncated: false };
  return { value: cut(value, max).part, truncated: true };
}

interface Part {
  readonly part: Json;
  /** Characters that it takes. */
  readonly used: number;
}

function cut(value: Json, room: number): Part {
  if (typeof value === 'string') {
    const text = value.slice(0, Math.max(0, room));
    // No half of a surrogate pair at the end.
    const part = text.isWellFormed() || !value.isWellFormed() ? text : text.slice(0, -1);
    return { part, used: part.length + MEMBER_CHARS };
  }
  if (typeof value !== 'object' || value === null) return { part: value, used: MEMBER_CHARS };
  let left = room - MEMBER_CHARS;
  const members: [string, Json][] = [];
  for (const key of keysOf(value)) {
    if (left <= 0) break;
    if (!Array.isArray(value)) left -= key.length;
    const { part, used } = cut((value as Record<string, Json>)[key] as Json, Math.ceil(left / 2));
    members.push([key, part]);
    left -= used;
  }
  // Own members only, also of the name `__proto__`.
  const part = Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
  return { part, used: room - left };
}

/** One after the other: a list may have millions. */
function* keysOf(value: object): Generator<string> {
  for (const key in value) if (Object.hasOwn(value, key)) yield key;
}
