import type { Bound } from '../query/analyze';
import type { Value } from '../bson/value';
import type { Index, IndexField } from './index-spec';
import { invert } from './byte-writer';
import { BRACKET, encodeKey, KeyWriter, safeBound, successor } from './key-encoding';
import { collectionPrefix } from './record-key';

/** Index keys from `start` (included) to `end` (excluded). A `point` is one whole key of a unique index. */
export interface Interval {
  readonly start: Buffer;
  readonly end: Buffer;
  readonly point?: Buffer;
}

/** The index intervals of a filter's bounds. */
interface IndexBounds {
  readonly intervals: readonly Interval[];
  /** Leading fields fixed to a single value: they do not affect the order by later fields. */
  readonly fixed: number;
  /** Fields that the intervals restrict. */
  readonly used: number;
  /** Leading fields held to one or a few values. */
  readonly equal: number;
  /** Bounds that the intervals express completely; others must be checked on the document. */
  readonly consumed: ReadonlySet<Bound>;
}

/** Maximum combinations of `$in` values; above it, later fields are left to the filter. */
const MAX_POINTS = 400;

const BRACKETS = Object.values(BRACKET).sort((a, b) => a - b);

const writer = new KeyWriter();

function encodeField(index: Index, field: IndexField, value: Value): Buffer {
  writer.reset();
  writer.value(value);
  writer.endField(0, index.fieldLimit, field.descending);
  return writer.take();
}

/**
 * Converts bounds into intervals of one index. `bounds` holds, per field of the index, the conditions that hold
 * together.
 */
export function indexBounds(index: Index, bounds: readonly (readonly Bound[])[]): IndexBounds {
  const consumed = new Set<Bound>();
  let prefixes: Buffer[] = [collectionPrefix(index.id)];
  let fixed = 0;
  let equal = 0;
  for (const [i, field] of index.fields.entries()) {
    const given = bounds[i] ?? [];
    const points = pointsOf(index, field, given);
    if (points === undefined || prefixes.length * points.length > MAX_POINTS) {
      const range = points === undefined ? rangeOf(index, field, given, consumed) : undefined;
      if (range === undefined) break;
      const intervals = prefixes.map((prefix) => ({
        start: Buffer.concat([prefix, range.low]),
        end: Buffer.concat([prefix, range.high]),
      }));
      return { intervals: intervals.filter(notEmpty), fixed, equal, used: equal + 1, consumed };
    }
    for (const bound of given) if (bound.kind === 'eq' || bound.kind === 'in') consumed.add(bound);
    prefixes = prefixes.flatMap((prefix) => points.map((point) => Buffer.concat([prefix, point])));
    if (points.length === 1 && fixed === i) fixed++;
    equal++;
  }
  const whole = equal === index.fields.length && index.unique;
  const intervals = prefixes.map((prefix) => ({
    start: prefix,
    end: successor(prefix),
    point: whole ? prefix : undefined,
  }));
  return { intervals, fixed, equal, used: equal, consumed };
}

const notEmpty = ({ start, end }: Interval): boolean => start.compare(end) < 0;

/** The distinct values of equalities, in key order; undefined when the field is not limited to points. */
function pointsOf(index: Index, field: IndexField, bounds: readonly Bound[]): Buffer[] | undefined {
  let points: Map<string, Buffer> | undefined;
  for (const bound of bounds) {
    if (bound.kind !== 'eq' && bound.kind !== 'in') continue;
    const these = new Map<string, Buffer>();
    for (const value of bound.kind === 'eq' ? [bound.value] : bound.values) {
      const bytes = encodeField(index, field, value);
      const name = bytes.toString('latin1');
      if (points === undefined || points.has(name)) these.set(name, bytes);
    }
    points = these;
  }
  return points === undefined ? undefined : [...points.values()].sort(Buffer.compare);
}

/** The part of a field's key space within its ranges; undefined for all of it. */
function rangeOf(
  index: Index,
  field: IndexField,
  bounds: readonly Bound[],
  consumed: Set<Bound>,
): { low: Buffer; high: Buffer } | undefined {
  let low: Buffer | undefined;
  let high: Buffer | undefined;
  for (const bound of bounds) {
    if (bound.kind !== 'range') continue;
    const limits = limitBytes(index, bound);
    if (limits === undefined) continue;
    if (low === undefined || limits.low.compare(low) > 0) low = limits.low;
    if (high === undefined || limits.high.compare(high) < 0) high = limits.high;
    if (!limits.cut) consumed.add(bound);
  }
  if (low === undefined || high === undefined) return undefined;
  if (!field.descending) return { low, high };
  return { low: successor(inverted(high)), high: successor(inverted(low)) };
}

const inverted = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  invert(copy);
  return copy;
};

function limitBytes(
  index: Index,
  bound: Bound & { kind: 'range' },
): { low: Buffer; high: Buffer; cut: boolean } | undefined {
  const sample = bound.min ?? bound.max;
  if (sample === undefined) return undefined;
  const bracket = encodeKey(sample.value)[0] as number;
  const limits: { low: Buffer; high: Buffer; cut: boolean } = {
    low: Buffer.of(bracket),
    high: Buffer.of(nextBracket(bracket)),
    cut: false,
  };
  if (bound.min !== undefined) {
    const { bytes, cut } = safeBound(encodeKey(bound.min.value), index.fieldLimit);
    limits.low = cut || bound.min.inclusive ? bytes : successor(bytes);
    limits.cut ||= cut;
  }
  if (bound.max !== undefined) {
    const { bytes, cut } = safeBound(encodeKey(bound.max.value), index.fieldLimit);
    limits.high = cut || bound.max.inclusive ? successor(bytes) : bytes;
    limits.cut ||= cut;
  }
  return limits;
}

const nextBracket = (bracket: number): number => BRACKETS.find((other) => other > bracket) ?? 0xff;
