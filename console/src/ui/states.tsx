import type { ReactNode } from 'react';
import { EverstepError } from '../api/client';
import { Button } from './button';
import { classes } from './classes';
import { AlertIcon, type Icon, RetryIcon } from './icon';
import './states.css';

interface EmptyProps {
  readonly icon: Icon;
  readonly title: string;
  readonly level?: 'h1' | 'h2';
  readonly children?: ReactNode;
  /** What to do next. */
  readonly actions?: ReactNode;
}

/** In place of a list without rows: why it is empty, and the next act. */
export function EmptyState({ icon: Glyph, title, level: Heading = 'h2', children, actions }: EmptyProps) {
  return (
    <div className="state">
      <span className="state-icon">
        <Glyph size={20} aria-hidden="true" />
      </span>
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {actions && <div className="state-actions">{actions}</div>}
    </div>
  );
}

/** In place of what could not be loaded, with the request id for support. */
export function ErrorState({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const requestId = error instanceof EverstepError ? error.requestId : null;
  return (
    <div className="state" role="alert">
      <span className="state-icon state-icon-danger">
        <AlertIcon size={20} aria-hidden="true" />
      </span>
      <h2>This could not be loaded</h2>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {requestId !== null && (
        <p className="state-request">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <div className="state-actions">
          <Button icon={RetryIcon} onClick={onRetry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

/** A grey bar in place of a text that is on its way. */
export function Skeleton({
  width = '100%',
  height = 12,
  className,
}: {
  width?: string | number;
  height?: number;
  className?: string;
}) {
  return <span className={classes('skeleton', className)} style={{ width, height }} aria-hidden="true" />;
}

/** Bars in place of the rows of a list. */
export function SkeletonRows({ rows = 6, label = 'Loading' }: { readonly rows?: number; readonly label?: string }) {
  return (
    <div className="skeleton-rows" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="skeleton-row">
          <Skeleton width={`${32 + ((row * 17) % 24)}%`} />
          <Skeleton width="12%" />
          <Skeleton width="16%" />
        </div>
      ))}
    </div>
  );
}

interface QueryLike<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

interface LoadedProps<T> {
  readonly query: QueryLike<T>;
  readonly skeleton?: ReactNode;
  readonly children: (data: T) => ReactNode;
}

/** The three states of a query: skeleton, error with another try, content. Content stays while it loads again. */
export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isPending) return <>{skeleton ?? <SkeletonRows />}</>;
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
}
