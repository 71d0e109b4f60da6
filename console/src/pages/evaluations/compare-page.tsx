import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EvaluationComparison } from '../../api/client';
import { formatDifference, formatP, formatScore } from '../../model/evaluations';
import { formatCount } from '../../model/format';
import { Badge, Card, type Column, EmptyState, LinkButton, Loaded, Page, ShortTable, SkeletonRows } from '../../ui';
import { KeyValues } from '../../ui/key-values';
import { CompletedIcon, SwapIcon } from '../../ui/icon';
import { comparisonQuery } from './queries';
import { compareRoute } from './routes';
import { ScoreBar } from './score';
import styles from './evaluations.module.css';

type Difference = EvaluationComparison['metrics'][number];
type Moved = EvaluationComparison['better']['rows'][number];

/** Two evaluations over the same data set: what got better, and whether that may be chance. */
export function ComparePage() {
  const { id, other } = compareRoute.useParams();
  const comparison = useQuery(comparisonQuery(id, other));
  return (
    <Page
      title="Compare evaluations"
      description="The rows that both have evaluated, as they are the same in both revisions of the data set."
      actions={
        <LinkButton icon={SwapIcon} to="/evaluations/$id/compare/$other" params={{ id: other, other: id }}>
          Swap
        </LinkButton>
      }
    >
      <Loaded query={comparison} skeleton={<SkeletonRows rows={6} label="Comparing" />}>
        {(data) => <Comparison compared={data} />}
      </Loaded>
    </Page>
  );
}

function Comparison({ compared }: { readonly compared: EvaluationComparison }) {
  const { a, b, pairs, unpaired, metrics, better, worse } = compared;
  const link = ({ id, name }: EvaluationComparison['a']): ReactNode => (
    <Link to="/evaluations/$id" params={{ id }}>
      {name}
    </Link>
  );
  return (
    <>
      <KeyValues
        sideBySide
        rows={[
          [`A, score ${formatScore(a.summary.score)}`, link(a)],
          [`B, score ${formatScore(b.summary.score)}`, link(b)],
          ['Compared', `${formatCount(pairs)} rows`],
          ['In one alone', unpaired === 0 ? null : `${formatCount(unpaired)} rows`],
        ]}
      />
      <Card
        title="Metrics"
        description="Differences are B less A, in points, with a 95% interval. P values: Wilcoxon signed-rank test of scores, exact McNemar test of passes."
        flush
      >
        <ShortTable label="Metrics" columns={METRICS} rows={metrics} rowKey={({ name }) => name} />
      </Card>
      <div className={styles.columns}>
        <MovedRows title="Better" moved={better} />
        <MovedRows title="Worse" moved={worse} />
      </div>
    </>
  );
}

const METRICS: readonly Column<Difference>[] = [
  {
    key: 'name',
    title: 'Metric',
    width: 'minmax(88px, 1.2fr)',
    cell: ({ name }) => (name === 'score' ? <strong>All</strong> : name),
  },
  { key: 'a', title: 'A', width: '112px', wideOnly: true, cell: ({ mean_a }) => <ScoreBar score={mean_a} /> },
  { key: 'b', title: 'B', width: '112px', wideOnly: true, cell: ({ mean_b }) => <ScoreBar score={mean_b} /> },
  {
    key: 'difference',
    title: 'Difference',
    width: '96px',
    align: 'end',
    cell: ({ difference }) => <strong>{formatDifference(difference)}</strong>,
  },
  {
    key: 'interval',
    title: '95% interval',
    width: '128px',
    align: 'end',
    wideOnly: true,
    cell: ({ low, high }) => (
      <span className="cell-muted">{`${formatDifference(low)} to ${formatDifference(high)}`}</span>
    ),
  },
  {
    key: 'p',
    title: 'P of scores',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ p_scores }) => formatP(p_scores),
  },
  {
    key: 'passes',
    title: 'P of passes',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ p_passes }) => formatP(p_passes),
  },
  {
    key: 'significant',
    title: 'Verdict',
    width: '136px',
    cell: ({ significant, difference }) =>
      significant ? (
        <Badge tone={difference > 0 ? 'ok' : 'danger'}>{difference > 0 ? 'Better' : 'Worse'}</Badge>
      ) : (
        <Badge>May be chance</Badge>
      ),
  },
];

interface MovedProps {
  readonly title: string;
  readonly moved: EvaluationComparison['better'];
}

function MovedRows({ title, moved: { total, rows } }: MovedProps) {
  return (
    <Card
      title={`${title}: ${formatCount(total)}`}
      description={rows.length < total ? `The ${formatCount(rows.length)} rows that changed most.` : undefined}
      flush
    >
      {rows.length === 0 ? (
        <EmptyState icon={CompletedIcon} title="No rows" />
      ) : (
        <ShortTable label={title} columns={MOVED} rows={rows} rowKey={({ row_id }) => row_id} />
      )}
    </Card>
  );
}

const runLink = (id: string | null, score: number) =>
  id === null ? (
    formatScore(score)
  ) : (
    <Link to="/runs/$id" params={{ id }}>
      {formatScore(score)}
    </Link>
  );

const MOVED: readonly Column<Moved>[] = [
  { key: 'row', title: 'Row', width: 'minmax(64px, 2fr)', cell: ({ row_id }) => row_id },
  {
    key: 'a',
    title: 'A',
    width: '56px',
    align: 'end',
    cell: ({ execution_a, score_a }) => runLink(execution_a, score_a),
  },
  {
    key: 'b',
    title: 'B',
    width: '56px',
    align: 'end',
    cell: ({ execution_b, score_b }) => runLink(execution_b, score_b),
  },
  {
    key: 'difference',
    title: 'Difference',
    width: '84px',
    align: 'end',
    cell: ({ difference }) => formatDifference(difference),
  },
];
