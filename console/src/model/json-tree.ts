/** A line of a JSON value in a tree view. */
interface JsonNode {
  readonly key: string | null;
  readonly value: unknown;
  /** Members of an object or a list; null for a plain value. */
  readonly size: number | null;
}

/** Members that are shown at first; more are shown on request. */
export const MAX_SHOWN_MEMBERS = 100;

/** The members of an object or a list, in their order. */
export function membersOf(value: unknown, max = Number.POSITIVE_INFINITY): JsonNode[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (entries.length >= max) break;
    entries.push([key, (value as Record<string, unknown>)[key]]);
  }
  return entries.map(([key, member]) => ({ key, value: member, size: sizeOf(member) }));
}

/** The number of members; null for a plain value. */
export function sizeOf(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

const PREVIEW_CHARS = 80;

/** A value in one short line, for a row that is closed. */
export function previewOf(value: unknown): string {
  const size = sizeOf(value);
  if (size === null) {
    const text = JSON.stringify(value) ?? 'undefined';
    return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
  }
  if (Array.isArray(value)) return size === 1 ? '[1 item]' : `[${size} items]`;
  const keys = Object.keys(value as object).slice(0, 4);
  return size === 0 ? '{}' : `{ ${keys.join(', ')}${size > keys.length ? ', …' : ''} }`;
}
