import { AppError } from './errors';

const TAG = /(?:W\/)?"[^"]*"/g;

/**
 * True when a field such as `If-Match` lists an entity tag, or is `*`. A strong comparison tells a weak tag from every
 * other (RFC 9110 section 8.8.3.2).
 */
export function listsTag(field: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (field.trim() === '*') return true;
  const tags = field.match(TAG) ?? [];
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag);
}

/** The entity tag of a document by its hash. */
export const tagOf = (hash: string): string => `"${hash}"`;

/**
 * Checks `If-Match` against the hash of what is there; null: nothing is. Without a field everything matches.
 * @throws AppError precondition_failed with both hashes; invalid_request for a field without a tag
 */
export function assertMatch(field: string | undefined, current: string | null, what: string): void {
  if (field === undefined) return;
  const [first] = field.match(TAG) ?? [];
  if (first === undefined && field.trim() !== '*')
    throw new AppError('invalid_request', 'If-Match must have a hash in quotes, such as "3f5a...", or be *');
  if (current !== null && listsTag(field, tagOf(current), 'strong')) return;
  throw changedSince(first?.replace(/^W\//, '').slice(1, -1) ?? null, current, what);
}

/** `expected`: the hash that the caller has seen. `what`: such as `the draft`. */
export const changedSince = (expected: string | null, current: string | null, what: string): AppError =>
  new AppError(
    'precondition_failed',
    current === null
      ? `There is no ${what} any more; read it again, then decide`
      : `The ${what} has changed since it was read; read it again, then repeat the change with its new hash`,
    {
      details: [
        { path: 'expected_hash', message: expected ?? 'any' },
        { path: 'current_hash', message: current ?? 'none' },
      ],
      body: { expected_hash: expected, current_hash: current },
    },
  );
