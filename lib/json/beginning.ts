import { type Json, jsonSize } from '../json';

/** Characters that stand around a member, about. */
const MEMBER_CHARS = 4;

/** The beginning of a value: all of it when its JSON has at most `max` characters, else as much as fits, about. */
export function beginningOf(value: Json, max: number): { readonly value: Json; readonly truncated: boolean } {
  if (jsonSize(value, max) <= max) return { value, truncated: false };
  return { value: cut(value, { left: max }), truncated: true };
}

function cut(value: Json, budget: { left: number }): Json {
  if (typeof value === 'string') {
    const part = value.slice(0, Math.max(0, budget.left));
    budget.left -= part.length + MEMBER_CHARS;
    // No half of a surrogate pair at the end.
    return part.isWellFormed() || !value.isWellFormed() ? part : part.slice(0, -1);
  }
  budget.left -= MEMBER_CHARS;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      if (budget.left <= 0) break;
      items.push(cut(item, budget));
    }
    return items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (budget.left <= 0) break;
    budget.left -= key.length;
    members.push([key, cut(member, budget)]);
  }
  // Own members only, also of the name `__proto__`.
  return Object.fromEntries(members);
}
