type JsonRecord = Readonly<Record<string, unknown>>;

/** One value that an act has changed; undefined where there was, or is, none. */
interface ValueChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_DEPTH = 6;

/** What differs between the two states of an event, by the path of the value. Lists are compared as a whole. */
export function changesOf(before: JsonRecord | null, after: JsonRecord | null): ValueChange[] {
  return compare('', before ?? undefined, after ?? undefined, 0);
}

function compare(path: string, before: unknown, after: unknown, depth: number): ValueChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [left, right] = [recordOf(before), recordOf(after)];
  const goesOn = depth < MAX_DEPTH && (left !== null || right !== null);
  const isReplaced = (before !== undefined && left === null) || (after !== undefined && right === null);
  if (!goesOn || isReplaced) return [{ path, before, after }];
  const names = [...new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})])];
  return names.flatMap((name) =>
    compare(path === '' ? name : `${path}.${name}`, own(left, name), own(right, name), depth + 1),
  );
}

const recordOf = (value: unknown): JsonRecord | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;

const own = (record: JsonRecord | null, name: string): unknown =>
  record !== null && Object.hasOwn(record, name) ? record[name] : undefined;

/** A value as a person reads it: texts without quotes. */
export const valueText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Who acted, in a few words. */
export function actorText({ type, email, id }: { type: string; email: string | null; id: string | null }): string {
  if (email !== null) return email;
  if (type === 'service') return 'Everstep';
  return type === 'anonymous' ? 'a public link' : (id ?? type);
}
