import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client';
import { type MetricDraft, metricOf } from '../../model/metric-form';
import {
  Button,
  Card,
  Field,
  Form,
  type FormValues,
  LinkButton,
  Loaded,
  Page,
  Select,
  SkeletonRows,
  Textarea,
  TextField,
} from '../../ui';
import { PlayIcon } from '../../ui/icon';
import { MetricList } from './metric-list';
import { datasetChoicesQuery, workflowChoicesQuery } from './queries';
import { newEvaluationRoute } from './routes';
import styles from './evaluations.module.css';

const VERSIONS = [
  { value: 'live', label: 'Live' },
  { value: 'draft', label: 'Draft' },
] as const;
const WRITES = [
  { value: 'suppress', label: 'Do not run' },
  { value: 'allow', label: 'Run, with their effects' },
] as const;

interface Choices {
  readonly workflows: readonly { readonly id: string; readonly name: string }[];
  readonly datasets: readonly { readonly id: string; readonly name: string; readonly rows: number }[];
}

/** The form for a new evaluation. */
export function NewEvaluationPage() {
  const workflows = useQuery(workflowChoicesQuery);
  const datasets = useQuery(datasetChoicesQuery);
  return (
    <Page title="New evaluation" description="Runs the workflow once for each row, and scores the outputs." narrow>
      <Loaded query={workflows} skeleton={<SkeletonRows rows={6} label="Loading workflows" />}>
        {(flows) => (
          <Loaded query={datasets} skeleton={<SkeletonRows rows={6} label="Loading data sets" />}>
            {(sets) => <EvaluationForm choices={{ workflows: flows.data, datasets: sets.data }} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

function EvaluationForm({ choices: { workflows, datasets } }: { readonly choices: Choices }) {
  const search = newEvaluationRoute.useSearch();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [metrics, setMetrics] = useState<readonly MetricDraft[]>([{ type: 'equals', values: {} }]);
  const start = async (values: FormValues): Promise<void> => {
    const { id } = await api.evaluations.create({ body: requestOf(values, metrics) });
    await client.invalidateQueries({ queryKey: ['evaluations'] });
    await navigate({ to: '/evaluations/$id', params: { id } });
  };
  return (
    <Form label="New evaluation" onSubmit={start} className={styles.form}>
      {({ busy }) => (
        <>
          <Card title="What">
            <div className={styles.fields}>
              <Field label="Workflow">
                <Select
                  name="workflow_id"
                  options={workflows.map(({ id, name }) => ({ value: id, label: name }))}
                  defaultValue={search.workflow}
                />
              </Field>
              <Field label="Document">
                <Select name="version" options={VERSIONS} />
              </Field>
              <Field label="Data set">
                <Select
                  name="dataset_id"
                  options={datasets.map(({ id, name, rows }) => ({ value: id, label: `${name} (${rows})` }))}
                  defaultValue={search.dataset}
                />
              </Field>
              <TextField name="name" label="Name" optional />
            </div>
          </Card>
          <Card title="Metrics" description="Each gives a score from 0 to 1 to every row.">
            <MetricList metrics={metrics} onChange={setMetrics} />
          </Card>
          <Card title="Gates" description="The evaluation passes when all of them hold. One in each line.">
            <Field label="Conditions" hint="Such as score >= 0.9 or metrics.equals.mean >= 0.8." optional>
              <Textarea name="gates" code rows={3} spellCheck={false} />
            </Field>
          </Card>
          <Card title="Limits">
            <div className={styles.fields}>
              <Field label="Steps that change something">
                <Select name="writes" options={WRITES} />
              </Field>
              <TextField name="concurrency" label="Rows at a time" type="number" defaultValue="5" />
              <TextField name="cost_usd" label="Budget in USD" type="number" optional />
              <TextField name="tokens" label="Budget in tokens" type="number" optional />
            </div>
          </Card>
          <div className={styles.actions}>
            <Button type="submit" kind="primary" icon={PlayIcon} busy={busy}>
              Start
            </Button>
            <LinkButton to="/evaluations">Cancel</LinkButton>
          </div>
        </>
      )}
    </Form>
  );
}

/** The request that the form makes. @throws Error naming a field of a metric */
function requestOf(values: FormValues, metrics: readonly MetricDraft[]) {
  const { name = '', gates = '', cost_usd = '', tokens = '', concurrency = '' } = values;
  const budget = {
    ...(cost_usd === '' ? {} : { cost_usd: Number(cost_usd) }),
    ...(tokens === '' ? {} : { tokens: Number(tokens) }),
  };
  const lines = gates.split('\n').filter((line) => line.trim() !== '');
  return {
    workflow_id: values.workflow_id ?? '',
    dataset_id: values.dataset_id ?? '',
    version: values.version === 'draft' ? ('draft' as const) : ('live' as const),
    writes: values.writes === 'allow' ? ('allow' as const) : ('suppress' as const),
    metrics: metrics.map(metricOf),
    concurrency: Number(concurrency),
    ...(name.trim() === '' ? {} : { name }),
    ...(lines.length === 0 ? {} : { gates: lines }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}
