import type { ReactNode } from 'react';
import './row-button.css';

/** The main act of a row, such as opening its details: takes clicks on all of it. */
export function RowButton({ onClick, children }: { readonly onClick: () => void; readonly children: ReactNode }) {
  return (
    <button type="button" className="row-button" onClick={onClick}>
      {children}
    </button>
  );
}
