import type { ReactNode } from 'react';
import './key-values.css';

type Row = readonly [name: string, value: ReactNode];

/** Names and values in two aligned columns; a row without a value (null) is left out. */
export function KeyValues({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <dl className="key-values">
      {rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
