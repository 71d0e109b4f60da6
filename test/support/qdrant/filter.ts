/** Filters of Qdrant over payloads, as far as the service uses them; anything else throws. */
export interface QdrantFilter {
  readonly must?: readonly Condition[];
  readonly should?: readonly Condition[];
}

export interface Condition extends QdrantFilter {
  readonly key?: string;
  readonly match?: { readonly value?: unknown; readonly any?: readonly unknown[] };
  readonly range?: Readonly<Record<string, number>>;
}

export type Payload = Readonly<Record<string, unknown>>;

/** Every key that a filter uses. */
export const keysOf = ({ must = [], should = [] }: QdrantFilter): string[] =>
  [...must, ...should].flatMap((condition) => (condition.key === undefined ? keysOf(condition) : [condition.key]));

export const matches = (payload: Payload, { must = [], should = [], ...rest }: QdrantFilter): boolean => {
  if (Object.keys(rest).length > 0) throw new Error(`This server knows no ${Object.keys(rest).join()} in filters`);
  return (
    must.every((condition) => holds(payload, condition)) &&
    (should.length === 0 || should.some((condition) => holds(payload, condition)))
  );
};

function holds(payload: Payload, condition: Condition): boolean {
  const { key, match, range, ...nested } = condition;
  if (key === undefined) return matches(payload, nested);
  const value = payload[key];
  if (match?.any !== undefined) return match.any.includes(value);
  if (match !== undefined) return value === match.value;
  if (range === undefined || typeof value !== 'number') return false;
  return Object.entries(range).every(([word, bound]) => (COMPARED[word] as Compare)(value, bound));
}

type Compare = (value: number, bound: number) => boolean;
const COMPARED: Readonly<Record<string, Compare>> = {
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
};
