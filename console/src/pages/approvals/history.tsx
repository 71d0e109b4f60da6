import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { DecisionRow } from '../../api/client';
import { Button, Card, EmptyState, Loaded, RelativeTime, SkeletonRows, Status } from '../../ui';
import { ApprovalsIcon } from '../../ui/icon';
import styles from './approvals.module.css';
import { historyQuery } from './queries';

/** Decided approvals, newest first: who, when, what, and the comment. */
export function History() {
  const history = useInfiniteQuery(historyQuery);
  return (
    <Loaded query={history} skeleton={<SkeletonRows rows={4} label="Loading the history" />}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        if (rows.length === 0)
          return (
            <Card>
              <EmptyState icon={ApprovalsIcon} title="Nothing has been decided">
                Decisions are listed here with their comments, as long as their runs are kept.
              </EmptyState>
            </Card>
          );
        return (
          <Card flush>
            <ul aria-label="Decided approvals">
              {rows.map((row) => (
                <Decision key={`${row.execution_id} ${row.address} ${row.at}`} row={row} />
              ))}
            </ul>
            {history.hasNextPage && (
              <div className={styles.more}>
                <Button size="small" busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
                  Show more
                </Button>
              </div>
            )}
          </Card>
        );
      }}
    </Loaded>
  );
}

function Decision({ row }: { readonly row: DecisionRow }) {
  return (
    <li className={styles.decision}>
      <div className={styles.head}>
        <Link to="/runs/$id" params={{ id: row.execution_id }}>
          {row.workflow_name}
        </Link>
        <Status status={row.approved ? 'approved' : 'rejected'} />
        <span className="cell-muted">
          {`${row.by === null || row.by === 'link' ? 'by link' : `by ${row.by}`} · `}
          <RelativeTime at={row.at} />
        </span>
      </div>
      <p className={styles.question}>{row.message === '' ? row.address : row.message}</p>
      {row.comment !== null && <blockquote className={styles.comment}>{row.comment}</blockquote>}
    </li>
  );
}
