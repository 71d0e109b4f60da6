import { listsTag } from '../../../lib/entity-tags';

/** What can be asked of a representation, and what is sent of it. Sizes and places in bytes. */

/** A representation as its validators tell it. */
interface Representation {
  readonly size: number;
  /** Strong, with its quotes. */
  readonly etag: string;
  /** Epoch milliseconds; in whole seconds, as HTTP dates are. */
  readonly modified: number;
}

/** The fields of a request by which the answer is chosen, as they came. */
export interface Conditions {
  readonly method: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifModifiedSince: string | undefined;
  readonly ifUnmodifiedSince: string | undefined;
  readonly ifRange: string | undefined;
  readonly range: string | undefined;
}

/** What to answer: all, a part from `first` to `last` (both inclusive), or nothing of it. */
export type Chosen =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'not modified' }
  | { readonly kind: 'precondition failed' }
  | { readonly kind: 'unsatisfiable' };

const WHOLE = { kind: 'whole' } as const;

/** Evaluates a conditional request in the order of RFC 9110 section 13.2.2. Pure. */
export function choose(representation: Representation, given: Conditions): Chosen {
  const { ifMatch, ifUnmodifiedSince, ifNoneMatch, ifModifiedSince, ifRange, range } = given;
  const { etag, modified, size } = representation;
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, etag, 'strong')) return { kind: 'precondition failed' };
  } else if (after(modified, ifUnmodifiedSince)) return { kind: 'precondition failed' };
  if (ifNoneMatch !== undefined) {
    if (listsTag(ifNoneMatch, etag, 'weak')) return { kind: 'not modified' };
  } else if (ifModifiedSince !== undefined && notAfter(modified, ifModifiedSince)) return { kind: 'not modified' };
  // A range has a meaning for GET alone (section 14.2).
  if (range === undefined || given.method !== 'GET') return WHOLE;
  if (ifRange !== undefined && !current(ifRange, representation)) return WHOLE;
  return partOf(range, size);
}

const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** An HTTP date in its preferred form (section 5.6.7); null for anything else, which counts as not sent. */
function dateOf(field: string): number | null {
  const ms = DATE.test(field.trim()) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

function after(modified: number, field: string | undefined): boolean {
  const date = field === undefined ? null : dateOf(field);
  return date !== null && modified > date;
}

function notAfter(modified: number, field: string): boolean {
  const date = dateOf(field);
  return date !== null && modified <= date;
}

/** A date is only as good as a tag when it is exactly that of the representation (section 13.1.5). */
function current(ifRange: string, { etag, modified }: Representation): boolean {
  const value = ifRange.trim();
  return value.startsWith('"') || value.startsWith('W/') ? value === etag : dateOf(value) === modified;
}

/**
 * One range of bytes (section 14.1.2). Several at once, or another unit, are answered with all of it, as is what is no
 * range: a server may ignore the field.
 */
function partOf(field: string, size: number): Chosen {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field.trim()) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return WHOLE;
  if (from === '') {
    const suffix = Number(to);
    if (suffix === 0 || size === 0) return { kind: 'unsatisfiable' };
    return { kind: 'part', first: Math.max(0, size - suffix), last: size - 1 };
  }
  const first = Number(from);
  const last = to === '' ? size - 1 : Number(to);
  if (to !== '' && last < first) return WHOLE;
  if (first >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', first, last: Math.min(last, size - 1) };
}
