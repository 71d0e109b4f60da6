import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { classes } from './classes';
import './table.css';

/** Rows of a list have this height, so that any number of them can be placed without measuring. */
const ROW_PX = 44;
const OVERSCAN_ROWS = 12;
/** Rows before the end at which the next page is asked for. */
const MORE_WITHIN_ROWS = 20;

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  /** A track of CSS grid, such as `120px` or `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: 'end';
  /** Left out on a small screen. */
  readonly wideOnly?: boolean;
  /** Without a title on screen, such as of actions. */
  readonly titleHidden?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  /** Marks the row whose details are open. */
  readonly selected?: string | null;
  /** Called when the last rows come into view. */
  readonly onMore?: () => void;
  /** A first column with check boxes. */
  readonly selection?: { readonly keys: ReadonlySet<string>; readonly onChange: (keys: ReadonlySet<string>) => void };
}

/** A list in aligned columns. Renders the rows that are on screen alone, and scrolls with the page. */
export function Table<T>({ label, columns, rows, rowKey, selected, onMore, selection }: TableProps<T>) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const nearEnd = rows.length > 0 && last >= rows.length - MORE_WITHIN_ROWS;
  useEffect(() => {
    if (nearEnd) onMore?.();
  }, [nearEnd, onMore, rows.length]);

  const check = selection && '28px';
  const style = {
    '--columns': [check, ...columns.map(({ width }) => width)].filter(Boolean).join(' '),
    '--columns-small': [check, ...columns.flatMap(({ wideOnly, width }) => (wideOnly ? [] : [width]))]
      .filter(Boolean)
      .join(' '),
  } as CSSProperties;
  return (
    <div className="table" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={style}>
      <div className="table-head" role="row" aria-rowindex={1}>
        {selection && (
          <span role="columnheader" className="table-cell">
            <input
              type="checkbox"
              className="table-check"
              aria-label="Select all rows"
              checked={rows.length > 0 && selection.keys.size >= rows.length}
              onChange={(event) => selection.onChange(new Set(event.currentTarget.checked ? rows.map(rowKey) : []))}
            />
          </span>
        )}
        {columns.map(({ key, title, titleHidden, align, wideOnly }) => (
          <span key={key} role="columnheader" className={cellClass(align, wideOnly)}>
            {titleHidden ? <span className="visually-hidden">{title}</span> : title}
          </span>
        ))}
      </div>
      <div ref={body} role="rowgroup" className="table-body" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index] as T;
          const key = rowKey(row);
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selected === key || undefined}
              className="table-row"
              style={{ height: ROW_PX, transform: `translateY(${start - top}px)` }}
            >
              {selection && (
                <span role="cell" className="table-cell">
                  <input
                    type="checkbox"
                    className="table-check"
                    aria-label={`Select row ${index + 1}`}
                    checked={selection.keys.has(key)}
                    onChange={() => selection.onChange(toggled(selection.keys, key))}
                  />
                </span>
              )}
              {columns.map(({ key: column, cell, align, wideOnly }) => (
                <span key={column} role="cell" className={cellClass(align, wideOnly)}>
                  {cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const cellClass = (align: 'end' | undefined, wideOnly: boolean | undefined): string =>
  classes('table-cell', align === 'end' && 'table-cell-end', wideOnly && 'table-wide');

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
