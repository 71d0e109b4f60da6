import { useState } from 'react';
import {
  Button,
  Card,
  CodeBlock,
  type Column,
  CopyButton,
  CopyText,
  Duration,
  EmptyState,
  ErrorState,
  JsonView,
  KeyValues,
  Meter,
  OutcomeBars,
  RelativeTime,
  Skeleton,
  SkeletonRows,
  SparkLine,
  StackedBars,
  Status,
  Table,
  Tabs,
} from '../../ui';
import { WorkflowIcon } from '../../ui/icon';
import styles from './dev-ui.module.css';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly at: string;
}

const STATUSES = ['completed', 'running', 'failed', 'waiting'] as const;
const NOW = Date.now();
const ROWS: readonly Row[] = Array.from({ length: 8 }, (_, index) => ({
  id: `run-${index}`,
  name:
    ['Order intake', 'Nightly report', 'Invoice reminder', 'Lead enrichment with a rather long name'][index % 4] ?? '',
  status: STATUSES[index % 4] ?? 'completed',
  at: new Date(NOW - index * index * 400_000 - 7_000).toISOString(),
}));

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'Workflow', width: 'minmax(140px, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  { key: 'status', title: 'Status', width: '112px', cell: ({ status }) => <Status status={status} /> },
  { key: 'id', title: 'Run', width: 'minmax(80px, 1fr)', wideOnly: true, cell: ({ id }) => <code>{id}</code> },
  { key: 'at', title: 'Started', width: '96px', align: 'end', cell: ({ at }) => <RelativeTime at={at} /> },
];

const BARS = Array.from({ length: 24 }, (_, hour) => ({
  label: `${String(hour).padStart(2, '0')}:00`,
  values: [Math.round(30 + 25 * Math.sin(hour / 3)), hour % 7 === 3 ? 9 : 1, hour % 5],
}));

const SERIES = [
  { label: 'Completed', tone: 'ok' },
  { label: 'Failed', tone: 'danger' },
  { label: 'Running', tone: 'info' },
] as const;

/** Lists, charts, values. */
export function DataParts() {
  const [tab, setTab] = useState<'output' | 'log' | 'empty'>('output');
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set(['run-1']));
  return (
    <>
      <Card title="Table" flush actions={<Button size="small">Retry</Button>}>
        <Table
          label="Runs"
          columns={COLUMNS}
          rows={ROWS}
          rowKey={({ id }) => id}
          selected="run-3"
          selection={{ keys, onChange: setKeys }}
        />
      </Card>
      <Card title="Charts">
        <StackedBars label="Runs of the last day" series={SERIES} bars={BARS} />
        <div className={styles.charts}>
          <Meter label="Executions" value={8_200} max={10_000} />
          <Meter label="Members" value={2} max={5} />
          <Meter label="Active workflows" value={3} max={3} />
          <SparkLine values={[3, 5, 2, 8, 9, 4, 12]} label="Runs of seven days" />
          <OutcomeBars
            label="Last runs"
            outcomes={ROWS.map(({ status }) => ({ status, tone: status === 'failed' ? 'danger' : 'ok' }))}
          />
        </div>
      </Card>
      <Card>
        <Tabs
          label="Step"
          active={tab}
          onChange={setTab}
          tabs={[
            { key: 'output', label: 'Output' },
            { key: 'log', label: 'Log', count: 2 },
            { key: 'empty', label: 'States' },
          ]}
        >
          {tab === 'output' && (
            <JsonView
              value={{
                customer: 'Ada',
                net: 42.5,
                paid: true,
                note: null,
                lines: [
                  { sku: 'A-1', price: 20 },
                  { sku: 'B-7', price: 22.5 },
                ],
                tags: [],
              }}
            />
          )}
          {tab === 'log' && (
            <CodeBlock label="Log" text={'08:00:01.120  Ada pays 42.5\n08:00:01.304  The order was stored'} />
          )}
          {tab === 'empty' && (
            <div className={styles.columns}>
              <EmptyState
                icon={WorkflowIcon}
                title="No workflows yet"
                actions={<Button kind="primary">New workflow</Button>}
              >
                A workflow runs steps when something happens.
              </EmptyState>
              <ErrorState error={new Error('The server has answered 503')} onRetry={() => undefined} />
            </div>
          )}
        </Tabs>
      </Card>
      <Card title="Key-value list, time, skeleton">
        <div className={styles.columns}>
          <KeyValues
            rows={[
              ['Run', <CopyText key="id" text="01a1fe5e-e0b9-720c-a419-fc3a3ccaf089" />],
              ['Started', <RelativeTime key="at" at={new Date(NOW - 95_000).toISOString()} />],
              ['Duration', <Duration key="d" from="2026-01-01T08:00:00.000Z" to="2026-01-01T08:04:10.000Z" />],
              ['Left out', null],
              ['Copied', <CopyButton key="copy" text="acme" />],
            ]}
          />
          <div>
            <Skeleton width="60%" />
            <SkeletonRows rows={3} />
          </div>
        </div>
      </Card>
    </>
  );
}
