import type { ReactNode } from 'react';
import './key-values.css';

export type KeyValue = readonly [name: string, value: ReactNode];

interface KeyValuesProps {
  readonly rows: readonly KeyValue[];
  /** Side by side in a frame, as at the top of a page; else in two aligned columns. */
  readonly sideBySide?: boolean;
}

/** Names and values; one without a value (null) is left out. */
export function KeyValues({ rows, sideBySide = false }: KeyValuesProps) {
  return (
    <dl className={sideBySide ? 'key-values-row' : 'key-values'}>
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
