import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { lazyPart } from '../../app/lazy-page';
import { api, type ExecutionView } from '../../api/client';
import { formatCount, formatUsd } from '../../model/format';
import { planPath } from '../../model/loop-path';
import { shownStatus } from '../../model/waiting';
import {
  Card,
  CopyText,
  Duration,
  EmptyState,
  ErrorState,
  Notice,
  Page,
  RelativeTime,
  SkeletonRows,
  Status,
  Tabs,
  WithPanel,
} from '../../ui';
import { type KeyValue, KeyValues } from '../../ui/key-values';
import { LabelChips } from '../runs/label-chips';
import { FilesTab } from './files-tab';
import { LogLines } from './log-lines';
import { useLiveRun } from './live-run';
import { PartialValue } from './partial-value';
import { documentQuery, overviewQuery, runQuery, type StepFilter } from './queries';
import { Reasons } from './reasons';
import { type RunTab, runRoute } from './route';
import { RunActions } from './run-actions';
import type { StepListProps } from './step-list';
import { StepPanel } from './step-panel';
import { StepsTab } from './steps-tab';
import { TimelineTab } from './timeline-tab';
import { ArrowRightIcon as OutputIcon } from '../../ui/icon';
import styles from './run.module.css';

const loadGraph = () => import('./graph-tab');
const GraphTab = lazyPart(async () => ({ default: (await loadGraph()).GraphTab }));

const TABS = [
  { key: 'timeline', label: 'Timeline' },
  { key: 'graph', label: 'Graph' },
  { key: 'steps', label: 'Steps' },
  { key: 'logs', label: 'Log' },
  { key: 'data', label: 'Input and output' },
  { key: 'files', label: 'Files' },
] as const;

/** One execution: what it did, what it waits for, and what to do about it. */
export function RunPage() {
  const { id } = runRoute.useParams();
  const { tab = 'timeline', step, in: parent, status } = runRoute.useSearch();
  const navigate = runRoute.useNavigate();
  const run = useQuery(runQuery(id));
  useLiveRun(id, run.data?.status === 'running');
  useGraphAhead(id, tab === 'graph');
  if (run.data === undefined) {
    return (
      <Page title="Run" tabTitle="Run">
        <Card flush>
          {run.isPending ? (
            <SkeletonRows rows={8} label="Loading the run" />
          ) : (
            <ErrorState error={run.error} onRetry={() => void run.refetch()} />
          )}
        </Card>
      </Page>
    );
  }
  const openStep = (path: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, step: path }), replace: step !== undefined });
  const showSteps = (filter: StepFilter): void =>
    void navigate({ search: (previous) => ({ ...previous, in: filter.parent, status: filter.status }) });
  const showTab = (key: RunTab): void =>
    void navigate({ search: (previous) => ({ ...previous, tab: key }), replace: true });
  return (
    <WithPanel
      panel={
        step === undefined ? null : (
          <StepPanel
            key={planPath(step)}
            run={run.data}
            path={step}
            onOpenStep={openStep}
            onClose={() => openStep(undefined)}
          />
        )
      }
    >
      <Page
        title={run.data.workflow_name}
        tabTitle={`${run.data.workflow_name}, run`}
        aside={<Status status={shownStatus(run.data)} />}
        actions={<RunActions run={run.data} />}
      >
        <Reasons run={run.data} onOpenStep={openStep} />
        <RunFacts run={run.data} />
        {run.data.warnings.length > 0 && (
          <Notice tone="warn">
            {run.data.warnings.map(({ path, message }) => (
              <p key={path}>
                <code>{path}</code> {message}
              </p>
            ))}
          </Notice>
        )}
        <div>
          <Tabs label="Parts of the run" tabs={TABS} active={tab} onChange={showTab}>
            <Tab
              tab={tab}
              run={run.data}
              selected={step}
              filter={{ parent, status }}
              onOpenStep={openStep}
              onFilter={showSteps}
              onOpenTrigger={() => showTab('data')}
            />
          </Tabs>
        </div>
      </Page>
    </WithPanel>
  );
}

/** Loads what the graph needs together with the run, not after it. */
function useGraphAhead(id: string, wanted: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!wanted) return;
    void loadGraph().catch(() => undefined);
    void client.prefetchQuery(documentQuery(id));
    void client.prefetchQuery(overviewQuery(id));
  }, [client, id, wanted]);
}

interface TabProps extends StepListProps {
  readonly tab: RunTab;
  readonly onOpenTrigger: () => void;
}

function Tab({ tab, onOpenTrigger, ...list }: TabProps): ReactNode {
  switch (tab) {
    case 'timeline':
      return <TimelineTab {...list} />;
    case 'graph':
      return (
        <Suspense fallback={<SkeletonRows rows={8} label="Loading the graph" />}>
          <GraphTab
            run={list.run}
            selected={list.selected}
            onOpenStep={list.onOpenStep}
            onOpenTrigger={onOpenTrigger}
          />
        </Suspense>
      );
    case 'steps':
      return <StepsTab {...list} />;
    case 'logs':
      return (
        <Card flush>
          <LogLines runId={list.run.id} onOpenStep={list.onOpenStep} />
        </Card>
      );
    case 'data':
      return <DataTab run={list.run} />;
    case 'files':
      return <FilesTab runId={list.run.id} />;
  }
}

const Labels = ({ run }: { readonly run: ExecutionView }) => (
  <span className={styles.chips}>
    <LabelChips labels={run.labels} />
  </span>
);

/** The figures of the run in one line. */
function RunFacts({ run }: { readonly run: ExecutionView }) {
  const link = (id: string): ReactNode => (
    <Link to="/runs/$id" params={{ id }}>
      Open
    </Link>
  );
  const facts: readonly KeyValue[] = [
    ['Run', <CopyText key="id" text={run.id} />],
    ['Started', <RelativeTime key="started" at={run.started_at} />],
    ['Duration', <Duration key="duration" from={run.started_at} to={run.ended_at} />],
    ['Trigger', run.trigger_type],
    ['Tokens', run.tokens === 0 ? null : formatCount(run.tokens)],
    ['Cost', run.cost_usd === 0 ? null : formatUsd(run.cost_usd)],
    ['Retry of', run.retry_of === null ? null : link(run.retry_of)],
    ['Labels', Object.keys(run.labels).length === 0 ? null : <Labels key="labels" run={run} />],
    ['Parent', run.parent === null ? null : link(run.parent)],
  ];
  return <KeyValues rows={facts} sideBySide />;
}

interface RunValueProps {
  readonly run: ExecutionView;
  readonly name: 'trigger' | 'output';
  readonly label: string;
}

const RunValue = ({ run, name, label }: RunValueProps) => (
  <PartialValue
    value={run[name]}
    label={label}
    isCut={run.cut?.includes(name) === true}
    load={async () => (await api.executions.get({ id: run.id }))[name]}
    fileName={`run-${name}`}
  />
);

function DataTab({ run }: { readonly run: ExecutionView }) {
  return (
    <div className={styles.columns}>
      <Card title="Trigger">
        <RunValue run={run} name="trigger" label="Trigger" />
      </Card>
      <Card title="Output">
        {run.output === null ? (
          <EmptyState icon={OutputIcon} title={run.status === 'running' ? 'No output yet' : 'No output'} />
        ) : (
          <RunValue run={run} name="output" label="Output" />
        )}
      </Card>
    </div>
  );
}
