import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { ROW_PX } from './table-frame';

const OVERSCAN_ROWS = 12;

/** The rows of a list that are on screen, as it scrolls with the page. All rows have the height ROW_PX. */
export function useVirtualRows(count: number, onRange?: (first: number, last: number) => void) {
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
  const [first, last] = [placed[0]?.index ?? 0, placed.at(-1)?.index ?? 0];
  useEffect(() => onRange?.(first, last), [first, last, onRange]);
  return { body, placed, height: virtual.getTotalSize(), last };
}
