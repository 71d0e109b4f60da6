import { useEffect } from 'react';
import { TableFrame, type TableProps } from './table-frame';
import { useVirtualRows } from './virtual-rows';

/** Rows before the end at which the next page is asked for. */
const MORE_WITHIN_ROWS = 20;

/** A list of any length in aligned columns. Renders the rows that are on screen alone, and scrolls with the page. */
export function Table<T>({
  onMore,
  onRange,
  ...table
}: TableProps<T> & {
  /** Called when the last rows come into view. */
  readonly onMore?: () => void;
  /** Called with the first and the last row that are rendered. */
  readonly onRange?: (first: number, last: number) => void;
}) {
  const count = table.rows.length;
  const { body, placed, height, last } = useVirtualRows(count, onRange);
  const nearEnd = count > 0 && last >= count - MORE_WITHIN_ROWS;
  useEffect(() => {
    if (nearEnd) onMore?.();
  }, [nearEnd, onMore, count]);
  return <TableFrame table={table} placed={placed} height={height} bodyRef={body} />;
}
