import type { ReactNode } from 'react';
import './facts.css';

export type Fact = readonly [name: string, value: ReactNode];

/** What is known of the thing of a page, side by side at its top; a fact without a value (null) is left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
