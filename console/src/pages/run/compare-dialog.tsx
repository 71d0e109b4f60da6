import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ExecutionRow, ExecutionView } from '../../api/client';
import { inOrder } from '../../model/run-comparison';
import { queryOfWorkflow } from '../../model/run-query';
import { shownStatus } from '../../model/waiting';
import { Button, Dialog, Duration, Form, Loaded, RelativeTime, SkeletonRows, Status, TextField } from '../../ui';
import { runsQuery } from '../runs/queries';
import styles from './compare-dialog.module.css';

interface CompareDialogProps {
  readonly run: ExecutionView;
  readonly onClose: () => void;
}

/** Chooses the run to compare with: one of the same workflow, or any by its id. */
export function CompareDialog({ run, onClose }: CompareDialogProps) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(runsQuery(queryOfWorkflow(run.workflow_def_id), run.trial));
  return (
    <Dialog title="Compare with" onClose={onClose}>
      <div className={styles.picker}>
        <Loaded query={query} skeleton={<SkeletonRows rows={4} label="Loading runs" />}>
          {({ pages }) => {
            const others = pages.flatMap(({ data }) => data).filter(({ id }) => id !== run.id);
            return others.length === 0 ? (
              <p className="cell-muted">This workflow has no other run.</p>
            ) : (
              <ul className={styles.choices} aria-label="Runs of this workflow">
                {others.map((other) => (
                  <Choice key={other.id} run={run} other={other} />
                ))}
                {query.hasNextPage && (
                  <li>
                    <Button
                      size="small"
                      kind="ghost"
                      busy={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      Show more
                    </Button>
                  </li>
                )}
              </ul>
            );
          }}
        </Loaded>
        <Form
          label="Another run"
          onSubmit={({ other = '' }) =>
            navigate({ to: '/runs/$id/compare/$other', params: { id: run.id, other: other.trim() } })
          }
        >
          {({ busy }) => (
            <div className={styles.other}>
              <TextField name="other" label="Id of another run" />
              <Button type="submit" busy={busy}>
                Compare
              </Button>
            </div>
          )}
        </Form>
      </div>
    </Dialog>
  );
}

function Choice({ run, other }: { readonly run: ExecutionView; readonly other: ExecutionRow }) {
  const [a, b] = inOrder<{ readonly id: string; readonly started_at: string }>(run, other);
  return (
    <li>
      <Link className={styles.choice} to="/runs/$id/compare/$other" params={{ id: a.id, other: b.id }}>
        <Status status={shownStatus(other)} />
        <span>
          <RelativeTime at={other.started_at} />
          {other.retry_of === run.id && ', a retry of this run'}
          {other.id === run.retry_of && ', which this run retries'}
        </span>
        <Duration from={other.started_at} to={other.ended_at} />
      </Link>
    </li>
  );
}
