import type { CSSProperties, ReactNode, Ref } from 'react';
import { classes } from './classes';
import { Skeleton } from './states';
import './table.css';

/** Rows of a list have this height, so that any number of them can be placed without measuring. */
export const ROW_PX = 44;

export interface Column<T> {
  readonly key: string;
  readonly title: string;
  /** A track of CSS grid, such as `120px` or `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: 'end';
  /** Left out on a small screen. */
  readonly wideOnly?: boolean;
  /** A column of statuses: their icons alone on a small screen. */
  readonly iconWhenSmall?: boolean;
  /** Without a title on screen, such as of actions. */
  readonly titleHidden?: boolean;
}

export interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  /** A row that is not loaded is undefined. */
  readonly rows: readonly (T | undefined)[];
  readonly rowKey: (row: T) => string;
  /** Marks the row whose details are open. */
  readonly selected?: string | null;
  /** A first column with check boxes. */
  readonly selection?: { readonly keys: ReadonlySet<string>; readonly onChange: (keys: ReadonlySet<string>) => void };
}

interface FrameProps<T> {
  readonly table: TableProps<T>;
  /** Rows that are rendered, with their places in pixels. */
  readonly placed: readonly { readonly index: number; readonly start: number }[];
  readonly height: number;
  readonly bodyRef?: Ref<HTMLDivElement>;
}

/** The head of a list, and the given rows at their places. */
export function TableFrame<T>({ table, placed, height, bodyRef }: FrameProps<T>) {
  const { label, columns, rows, rowKey, selected, selection } = table;
  const keys = (): string[] => rows.flatMap((row) => (row === undefined ? [] : [rowKey(row)]));
  const check = selection && '28px';
  const style = {
    '--columns': [check, ...columns.map(({ width }) => width)].filter(Boolean).join(' '),
    '--columns-small': [
      check,
      ...columns.flatMap(({ wideOnly, iconWhenSmall, width }) => (wideOnly ? [] : [iconWhenSmall ? '16px' : width])),
    ]
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
              onChange={(event) => selection.onChange(new Set(event.currentTarget.checked ? keys() : []))}
            />
          </span>
        )}
        {columns.map(({ title, titleHidden, ...column }) => (
          <span key={column.key} role="columnheader" className={cellClass(column)}>
            <span className={titleHidden ? 'visually-hidden' : 'table-word'}>{title}</span>
          </span>
        ))}
      </div>
      <div ref={bodyRef} role="rowgroup" className="table-body" style={{ height }}>
        {placed.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return <LoadingRow key={index} index={index} start={start} />;
          const key = rowKey(row);
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={selected === key || undefined}
              className="table-row"
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
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
              {columns.map((column) => (
                <span key={column.key} role="cell" className={cellClass(column)}>
                  {column.cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const LoadingRow = ({ index, start }: { readonly index: number; readonly start: number }) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    aria-busy="true"
    className="table-row"
    style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
  >
    <span role="cell" className="table-cell">
      <Skeleton width="60%" />
    </span>
  </div>
);

const cellClass = ({
  align,
  wideOnly,
  iconWhenSmall,
}: Pick<Column<never>, 'align' | 'wideOnly' | 'iconWhenSmall'>): string =>
  classes('table-cell', align === 'end' && 'table-cell-end', wideOnly && 'table-wide', iconWhenSmall && 'table-icon');

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
