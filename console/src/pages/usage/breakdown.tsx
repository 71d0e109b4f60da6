import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { UsageBreakdown } from '../../api/client';
import { saveResponse } from '../../app/save-file';
import { formatCompact, formatCount, formatDuration, formatPercent, formatUsd } from '../../model/format';
import { queryOfWorkflow } from '../../model/run-query';
import { byShare, csvOf, type Shared } from '../../model/usage-shares';
import { Button, Card, type Column, EmptyState, Loaded, Select, ShortTable, SkeletonRows, toastError } from '../../ui';
import { DownloadIcon, DataIcon } from '../../ui/icon';
import { breakdownQuery } from './queries';
import styles from './usage.module.css';

type WorkflowRow = UsageBreakdown['workflows'][number];
type ModelRow = UsageBreakdown['models'][number];

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const;

const WORKFLOW_SORTS = [
  { value: 'cost_usd', label: 'By cost' },
  { value: 'runs', label: 'By runs' },
  { value: 'failed', label: 'By failed runs' },
  { value: 'steps', label: 'By steps' },
  { value: 'duration_ms', label: 'By duration' },
  { value: 'tokens', label: 'By tokens' },
] as const;
const MODEL_SORTS = [
  { value: 'cost_usd', label: 'By cost' },
  { value: 'calls', label: 'By calls' },
  { value: 'input_tokens', label: 'By input tokens' },
  { value: 'output_tokens', label: 'By output tokens' },
] as const;
type WorkflowSort = (typeof WORKFLOW_SORTS)[number]['value'];
type ModelSort = (typeof MODEL_SORTS)[number]['value'];

/** Rows that are shown; the file has all of them. */
const MAX_ROWS = 20;

/** What usage consists of: by workflow, and by model. */
export function Breakdown() {
  const [days, setDays] = useState<string>('30');
  const [chosen, setChosen] = useState<WorkflowSort | null>(null);
  const [modelsBy, setModelsBy] = useState<ModelSort>('cost_usd');
  const usage = useQuery(breakdownQuery(Number(days)));
  const hasCosts = usage.data?.workflows.some(({ cost_usd: cost }) => cost > 0) ?? false;
  const by = chosen ?? (hasCosts ? 'cost_usd' : 'runs');
  const save = (name: string, text: string): void =>
    void saveResponse(new Response(text), `${name}-${usage.data?.from}-to-${usage.data?.to}.csv`).catch(toastError);
  return (
    <>
      <Part
        title="By workflow"
        description="Runs that have ended, with their waits. Counted since this version of Everstep runs."
        controls={
          <>
            <Select
              aria-label="Range"
              options={RANGES}
              value={days}
              onChange={({ currentTarget: { value } }) => setDays(value)}
            />
            <Select
              aria-label="Sort workflows"
              options={WORKFLOW_SORTS}
              value={by}
              onChange={({ currentTarget: { value } }) => setChosen(value as WorkflowSort)}
            />
          </>
        }
        onSave={usage.data && (() => save('usage-by-workflow', csvOf(WORKFLOW_COLUMNS, usage.data.workflows)))}
      >
        <Loaded query={usage} skeleton={<SkeletonRows rows={4} label="Loading usage by workflow" />}>
          {({ workflows }) =>
            workflows.length === 0 ? (
              <EmptyState icon={DataIcon} title="No run has ended in these days">
                Run a workflow, and it is listed here with its share.
              </EmptyState>
            ) : (
              <ShortTable
                label="Usage by workflow"
                columns={workflowColumns}
                rows={byShare(workflows, by).slice(0, MAX_ROWS)}
                rowKey={({ row }) => row.workflow_id}
              />
            )
          }
        </Loaded>
      </Part>
      <Part
        title="By model"
        description="Answers of language models to steps, also of attempts that were repeated."
        controls={
          <Select
            aria-label="Sort models"
            options={MODEL_SORTS}
            value={modelsBy}
            onChange={({ currentTarget: { value } }) => setModelsBy(value as ModelSort)}
          />
        }
        onSave={usage.data && (() => save('usage-by-model', csvOf(MODEL_COLUMNS, usage.data.models)))}
      >
        <Loaded query={usage} skeleton={<SkeletonRows rows={3} label="Loading usage by model" />}>
          {({ models }) =>
            models.length === 0 ? (
              <EmptyState icon={DataIcon} title="No model has answered in these days">
                Steps such as <code>llm</code> and <code>agent</code> ask models.
              </EmptyState>
            ) : (
              <ShortTable
                label="Usage by model"
                columns={modelColumns}
                rows={byShare(models, modelsBy).slice(0, MAX_ROWS)}
                rowKey={({ row }) => `${row.provider}/${row.model ?? ''}`}
              />
            )
          }
        </Loaded>
      </Part>
    </>
  );
}

const WORKFLOW_COLUMNS = [
  'workflow_id',
  'workflow_name',
  'runs',
  'failed',
  'steps',
  'duration_ms',
  'tokens',
  'cost_usd',
] as const satisfies readonly (keyof WorkflowRow)[];
const MODEL_COLUMNS = [
  'provider',
  'model',
  'calls',
  'input_tokens',
  'output_tokens',
  'cost_usd',
] as const satisfies readonly (keyof ModelRow)[];

interface PartProps {
  readonly title: string;
  readonly description: string;
  readonly controls: ReactNode;
  readonly onSave: (() => void) | undefined;
  readonly children: ReactNode;
}

function Part({ title, description, controls, onSave, children }: PartProps) {
  return (
    <Card
      title={title}
      description={description}
      flush
      actions={
        <div className={styles.controls}>
          {controls}
          <Button size="small" icon={DownloadIcon} onClick={onSave} aria-disabled={onSave === undefined}>
            CSV
          </Button>
        </div>
      }
    >
      {children}
    </Card>
  );
}

function Share({ share }: { readonly share: number }) {
  return (
    <span className={styles.share}>
      <meter min={0} max={1} value={share} aria-hidden="true" />
      {formatPercent(share)}
    </span>
  );
}

const number = (text: string): ReactNode => <span className="cell-muted">{text}</span>;

const workflowColumns: readonly Column<Shared<WorkflowRow, WorkflowSort>>[] = [
  {
    key: 'name',
    title: 'Workflow',
    width: 'minmax(96px, 2fr)',
    cell: ({ row }) => (
      <Link to="/runs" search={{ q: queryOfWorkflow(row.workflow_id) }}>
        {row.workflow_name}
      </Link>
    ),
  },
  { key: 'share', title: 'Share', width: 'minmax(84px, 1fr)', cell: ({ share }) => <Share share={share} /> },
  {
    key: 'runs',
    title: 'Runs',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatCompact(row.runs)),
  },
  {
    key: 'failed',
    title: 'Failed',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatCompact(row.failed)),
  },
  {
    key: 'steps',
    title: 'Steps',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatCompact(row.steps)),
  },
  {
    key: 'duration',
    title: 'Duration',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatDuration(row.duration_ms)),
  },
  {
    key: 'tokens',
    title: 'Tokens',
    width: '84px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatCompact(row.tokens)),
  },
  { key: 'cost', title: 'Cost', width: '80px', align: 'end', cell: ({ row }) => formatUsd(row.cost_usd) },
];

const modelColumns: readonly Column<Shared<ModelRow, ModelSort>>[] = [
  {
    key: 'model',
    title: 'Model',
    width: 'minmax(96px, 2fr)',
    cell: ({ row }) => row.model ?? `Other models of ${row.provider}`,
  },
  {
    key: 'provider',
    title: 'Provider',
    width: 'minmax(84px, 1fr)',
    wideOnly: true,
    cell: ({ row }) => number(row.provider),
  },
  { key: 'share', title: 'Share', width: 'minmax(84px, 1fr)', cell: ({ share }) => <Share share={share} /> },
  {
    key: 'calls',
    title: 'Calls',
    width: '72px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(formatCount(row.calls)),
  },
  {
    key: 'tokens',
    title: 'Tokens in / out',
    width: '128px',
    align: 'end',
    wideOnly: true,
    cell: ({ row }) => number(`${formatCompact(row.input_tokens)} / ${formatCompact(row.output_tokens)}`),
  },
  { key: 'cost', title: 'Cost', width: '80px', align: 'end', cell: ({ row }) => formatUsd(row.cost_usd) },
];
