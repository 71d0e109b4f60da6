import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Button, Card, ErrorState, LinkButton, Notice, Page, SkeletonRows, WithPanel } from '../../ui';
import { RetryIcon, SwapIcon } from '../../ui/icon';
import { ComparedValueView } from './compared-value';
import { type RunComparison, runComparisonQuery } from './queries';
import { runCompareRoute } from './route';
import styles from './run-compare.module.css';
import { RunFacts } from './run-facts';
import { StepComparison } from './step-comparison';
import { StepsCard } from './steps-card';

/** Two runs side by side: figures, input, output, and the steps that differ. */
export function RunComparePage() {
  const { id, other } = runCompareRoute.useParams();
  const { show, in: parent, step: open } = runCompareRoute.useSearch();
  const navigate = runCompareRoute.useNavigate();
  const all = show === 'all';
  const query = useInfiniteQuery({
    ...runComparisonQuery(id, other, { parent, all }),
    placeholderData: keepPreviousData,
  });
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  const openStep = (path: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, step: path }), replace: open !== undefined });
  const openLoop = (path?: string): void =>
    void navigate({ search: (before) => ({ ...before, in: path, step: undefined }) });
  const showAll = (next: boolean): void =>
    void navigate({ search: (before) => ({ ...before, show: next ? 'all' : undefined }), replace: true });
  const first = data?.pages[0];
  if (first === undefined)
    return (
      <Page title="Compare runs">
        <Card flush>
          {query.isPending ? (
            <SkeletonRows rows={8} label="Comparing" />
          ) : (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          )}
        </Card>
      </Page>
    );
  const step = data?.pages.flatMap(({ steps }) => steps).find(({ path }) => path === open);
  return (
    <WithPanel
      panel={
        step === undefined ? null : (
          <StepComparison key={step.path} step={step} runs={[id, other]} onClose={() => openStep(undefined)} />
        )
      }
    >
      <Page
        title="Compare runs"
        description={kinshipText(first)}
        actions={
          <LinkButton icon={SwapIcon} to="/runs/$id/compare/$other" params={{ id: other, other: id }}>
            Swap
          </LinkButton>
        }
      >
        {(first.a.status === 'running' || first.b.status === 'running') && (
          <Notice
            tone="info"
            actions={
              <Button size="small" icon={RetryIcon} busy={query.isRefetching} onClick={() => void query.refetch()}>
                Compare again
              </Button>
            }
          >
            A run that has not ended is compared by what it has done so far.
          </Notice>
        )}
        <Card flush>
          <RunFacts a={first.a} b={first.b} />
        </Card>
        {parent === undefined && (
          <div className={styles.columns}>
            <Card title="Input">
              <ComparedValueView value={first.input} />
            </Card>
            <Card title="Output">
              <ComparedValueView value={first.output} />
            </Card>
          </div>
        )}
        <StepsCard
          windows={data?.pages ?? []}
          all={all}
          parent={parent}
          selected={open}
          onMore={hasNextPage && !isFetchingNextPage ? more : undefined}
          onShowAll={showAll}
          onOpenStep={openStep}
          onOpenLoop={openLoop}
        />
      </Page>
    </WithPanel>
  );
}

function kinshipText({ a, b, same_plan: samePlan, same_workflow: sameWorkflow }: RunComparison): string {
  if (!sameWorkflow) return 'Two runs of different workflows. Steps are matched by their paths.';
  const version = samePlan ? 'of one version of the workflow' : 'of two versions of the workflow';
  if (b.retry_of === a.id) return `B is a retry of A, ${version}.`;
  if (a.retry_of === b.id) return `A is a retry of B, ${version}.`;
  return `Two runs ${version}.`;
}
