import { ROW_PX, TableFrame, type TableProps } from './table-frame';

/** The same for some rows, all of which are rendered, without the code for long lists. */
export function ShortTable<T>(table: TableProps<T>) {
  const placed = table.rows.map((_, index) => ({ index, start: index * ROW_PX }));
  return <TableFrame table={table} placed={placed} height={table.rows.length * ROW_PX} />;
}
