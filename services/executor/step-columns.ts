import { isObject, type Json } from '../../lib/json';

/** A member of all steps, in the order of the index. One that is the same in all steps is stored once. */
type Column = { readonly all: Json } | { readonly each: readonly Json[] };

/** Members of some steps that follow each other. */
export type Segment = Readonly<Record<string, Column>>;

/** Positions from which rising members are counted. */
export type Before = Record<string, number>;

/** The columns of a segment of so many steps; null for one that is not whole. */
export function columnsOf(value: unknown, rows: number) {
  if (!isObject(value) || rows < 1) return null;
  const isWhole = Object.values(value).every(
    (column) => isObject(column) && ('all' in column || (Array.isArray(column.each) && column.each.length === rows)),
  );
  if (!isWhole) return null;
  const segment = value as unknown as Segment;
  const at = (name: string, row: number): Json => {
    const column = segment[name];
    if (column === undefined) return null;
    return 'all' in column ? column.all : (column.each[row] ?? null);
  };
  return {
    rows,
    at,
    number: (name: string, row: number): number => Number(at(name, row)),
    /** Null where there is no time. */
    rising: (name: string, row: number, before: Before): number | null => {
      const stored = at(name, row);
      if (typeof stored !== 'number') return null;
      const next = (before[name] ?? 0) + stored;
      before[name] = next;
      return next;
    },
  };
}

export type Columns = NonNullable<ReturnType<typeof columnsOf>>;

/** One value for all of them where they are equal. */
export function columnOf(values: readonly Json[]): Column {
  const [first = null] = values;
  return isPlain(first) && values.every((value) => value === first) ? { all: first } : { each: values };
}

const isPlain = (value: Json): boolean => typeof value !== 'object' || value === null;
