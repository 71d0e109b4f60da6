import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ROW_PX, TableFrame, type TableProps } from './table-frame';

const OVERSCAN_ROWS = 12;
/** Rows before the end at which the next page is asked for. */
const MORE_WITHIN_ROWS = 20;

/** A list of any length in aligned columns. Renders the rows that are on screen alone, and scrolls with the page. */
export function Table<T>({
  onMore,
  ...table
}: TableProps<T> & {
  /** Called when the last rows come into view. */
  readonly onMore?: () => void;
}) {
  const count = table.rows.length;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  });
  const placed = virtual.getVirtualItems().map(({ index, start }) => ({ index, start: start - top }));
  const nearEnd = count > 0 && (placed.at(-1)?.index ?? 0) >= count - MORE_WITHIN_ROWS;
  useEffect(() => {
    if (nearEnd) onMore?.();
  }, [nearEnd, onMore, count]);
  return <TableFrame table={table} placed={placed} height={virtual.getTotalSize()} bodyRef={body} />;
}
