import { tick } from '../../../lib/compute/time-slice';
import type { ErrorDetail } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import { MAX_ROW_BYTES, MAX_TAG_CHARS, MAX_TAGS } from './limits';

/** A row as it is stored. `id` is null until one is given to it. */
export interface StoredRow {
  readonly id: string | null;
  /** JSON texts. */
  readonly input: string;
  readonly expected: string | null;
  readonly tags: readonly string[];
  readonly bytes: number;
}

const ROW_ID = /^[^\p{Cc}/?#]{1,100}$/u;
const KEYS: ReadonlySet<string> = new Set(['id', 'input', 'expected', 'tags']);

/**
 * Reads a row that a client sent. `path`: of the row, for faults, such as `rows[3]`. Pure.
 * Returns the row, or its faults.
 */
export function readRow(given: unknown, path: string): StoredRow | readonly ErrorDetail[] {
  if (!isObject(given))
    return [{ path, message: 'must be an object with "input", and optionally "id", "expected" and "tags"' }];
  const faults = [...unknownKeys(given, path), ...idFaults(given.id, path), ...tagFaults(given.tags, path)];
  if (!Object.hasOwn(given, 'input')) faults.push({ path: `${path}.input`, message: 'is missing' });
  if (faults.length > 0) return faults;
  const input = JSON.stringify(given.input);
  const expected = given.expected === undefined ? null : JSON.stringify(given.expected);
  tick(input.length + (expected?.length ?? 0));
  const bytes = Buffer.byteLength(input) + Buffer.byteLength(expected ?? '');
  if (bytes > MAX_ROW_BYTES)
    return [
      {
        path,
        message: `has ${bytes} bytes of input and expected value; at most ${MAX_ROW_BYTES} are allowed`,
        hint: 'keep large values in files or at an address, and put their names into the row',
      },
    ];
  return { id: (given.id as string | undefined) ?? null, input, expected, tags: tagsOf(given.tags), bytes };
}

const unknownKeys = (given: Readonly<Record<string, unknown>>, path: string): ErrorDetail[] =>
  Object.keys(given)
    .filter((key) => !KEYS.has(key))
    .slice(0, 5)
    .map((key) => ({
      path: `${path}.${key.slice(0, 100)}`,
      message: 'is not a member of rows; put what the workflow gets into "input"',
    }));

function idFaults(id: unknown, path: string): ErrorDetail[] {
  if (id === undefined || (typeof id === 'string' && ROW_ID.test(id))) return [];
  return [
    { path: `${path}.id`, message: 'must be a text of 1 to 100 characters without control characters, / ? and #' },
  ];
}

function tagFaults(tags: unknown, path: string): ErrorDetail[] {
  if (tags === undefined) return [];
  const isValid =
    Array.isArray(tags) &&
    tags.length <= MAX_TAGS &&
    tags.every((tag) => typeof tag === 'string' && tag.trim() !== '' && tag.length <= MAX_TAG_CHARS);
  if (isValid) return [];
  return [{ path: `${path}.tags`, message: `must be up to ${MAX_TAGS} texts of 1 to ${MAX_TAG_CHARS} characters` }];
}

const tagsOf = (tags: unknown): string[] => [
  ...new Set((tags as string[] | undefined)?.map((tag) => tag.trim()) ?? []),
];
