import { keepPreviousData, type QueryKey, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

/** Rows of one request. */
const WINDOW_ROWS = 100;

interface WindowOf<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** How a list of any length is read. `key` names the list; its windows are read when their rows come into view. */
export interface WindowedList<T> {
  readonly key: QueryKey;
  readonly read: (offset: number, limit: number, signal: AbortSignal) => Promise<WindowOf<T>>;
}

/** The rows of a list as far as they have been in view. Renewing it reads the windows in view alone. */
export function useWindows<T>({ key, read }: WindowedList<T>) {
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  const optionsOf = (window: number) => ({
    queryKey: [...key, window],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => read(window * WINDOW_ROWS, WINDOW_ROWS, signal),
  });
  const first = useQuery({ ...optionsOf(0), placeholderData: keepPreviousData });
  const [from, to] = range;
  const windows = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const inView = useQueries({ queries: windows.map(optionsOf) });
  const rowAt = (index: number): T | undefined => {
    const window = Math.floor(index / WINDOW_ROWS);
    const data = window >= from && window <= to ? inView[window - from]?.data : undefined;
    return (data ?? (window === 0 ? first.data : undefined))?.rows[index % WINDOW_ROWS];
  };
  const onRange = (start: number, end: number): void => {
    const next = [Math.floor(start / WINDOW_ROWS), Math.floor(end / WINDOW_ROWS)] as const;
    if (next[0] !== from || next[1] !== to) setRange(next);
  };
  const total = first.data?.total ?? 0;
  /** All rows; those that are not loaded are holes. */
  const rows = (): readonly (T | undefined)[] => {
    const sparse = new Array<T | undefined>(total);
    first.data?.rows.forEach((row, at) => (sparse[at] = row));
    inView.forEach(({ data }, window) =>
      data?.rows.forEach((row, at) => (sparse[(from + window) * WINDOW_ROWS + at] = row)),
    );
    return sparse;
  };
  return { first, total, rowAt, rows, onRange };
}
