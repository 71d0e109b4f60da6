import type { ReactNode } from 'react';
import { classes } from './classes';
import './page.css';

interface PageProps {
  readonly title: string;
  /** Of the browser's tab, where it is not the page's title. */
  readonly tabTitle?: string;
  readonly description?: ReactNode;
  /** Beside the title, such as a status. */
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** Narrow columns are for forms and texts. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** The frame of every page: title, one sentence about it, actions, content. */
export function Page({ title, tabTitle, description, aside, actions, narrow = false, children }: PageProps) {
  return (
    <div className={classes('page', narrow && 'page-narrow')}>
      <title>{`${tabTitle ?? title} · Everstep`}</title>
      <header className="page-header">
        <div className="page-heading">
          <div className="page-title">
            <h1>{title}</h1>
            {aside}
          </div>
          {description && <p>{description}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for a list. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A bordered part of a page. */
export function Card({ title, description, actions, flush = false, className, children }: CardProps) {
  return (
    <section className={classes('card', flush && 'card-flush', className)}>
      {title !== undefined && (
        <header className="card-header">
          <div>
            <h2>{title}</h2>
            {description && <p>{description}</p>}
          </div>
          {actions && <div className="page-actions">{actions}</div>}
        </header>
      )}
      <div className="card-content">{children}</div>
    </section>
  );
}

/** Search, filters and the like above a list. */
export function Toolbar({ children }: { readonly children: ReactNode }) {
  return <div className="toolbar">{children}</div>;
}
