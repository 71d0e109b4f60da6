/** A row of a table of usage, and what it may be sorted by. */
export interface Shared<T, K extends string> {
  readonly row: T;
  /** Of the figure that the table is sorted by, among all rows: 0 to 1. */
  readonly share: number;
  readonly key: K;
}

/** The rows by a figure, the highest first, with their shares of the sum. */
export function byShare<K extends string, T extends Readonly<Record<K, number>>>(
  rows: readonly T[],
  key: K,
): readonly Shared<T, K>[] {
  const sum = rows.reduce((total, row) => total + row[key], 0);
  return [...rows].sort((a, b) => b[key] - a[key]).map((row) => ({ row, key, share: sum === 0 ? 0 : row[key] / sum }));
}

/** Spreadsheets run cells that begin so as formulas. */
const FORMULA = /^[=+\-@\t\r]/;

const cellOf = (value: string | number | null): string => {
  const text = value === null ? '' : String(value);
  const plain = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** Rows as comma-separated values, with the names of the columns. */
export function csvOf<T>(columns: readonly (keyof T & string)[], rows: readonly T[]): string {
  const lines = rows.map((row) => columns.map((name) => cellOf(row[name] as string | number | null)).join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
