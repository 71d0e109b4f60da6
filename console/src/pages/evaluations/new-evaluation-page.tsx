import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client';
import type { JsonObject } from '../../model/document/path';
import { blockTypeOf, placesOf } from '../../model/document/walk';
import { evaluationOf, type PinDraft } from '../../model/evaluation-form';
import type { MetricDraft } from '../../model/metric-form';
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
import { PinList } from './pin-list';
import { datasetChoicesQuery, documentQuery, workflowChoicesQuery } from './queries';
import { newEvaluationRoute } from './routes';
import { type Choices, type Subject, SubjectFields } from './subject-fields';
import styles from './evaluations.module.css';

const WRITES = [
  { value: 'suppress', label: 'Do not run' },
  { value: 'pinned', label: 'Need a pinned output' },
  { value: 'allow', label: 'Run, with their effects' },
] as const;

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

function EvaluationForm({ choices }: { readonly choices: Choices }) {
  const search = newEvaluationRoute.useSearch();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [subject, setSubject] = useState<Subject>(() => ({
    workflow: chosen(choices.workflows, search.workflow),
    version: 'live',
    dataset: chosen(choices.datasets, search.dataset),
  }));
  const [metrics, setMetrics] = useState<readonly MetricDraft[]>([{ type: 'equals', values: {} }]);
  const [pins, setPins] = useState<readonly PinDraft[]>([]);
  const { data: document } = useQuery(documentQuery(subject.workflow, subject.version));
  const start = async (values: FormValues): Promise<void> => {
    const { id } = await api.evaluations.create({ body: evaluationOf({ values, metrics, pins }) });
    await client.invalidateQueries({ queryKey: ['evaluations'] });
    await navigate({ to: '/evaluations/$id', params: { id } });
  };
  return (
    <Form label="New evaluation" onSubmit={start} className={styles.form}>
      {({ busy }) => (
        <>
          <Card title="What">
            <SubjectFields choices={choices} subject={subject} onChange={setSubject} />
          </Card>
          <Card title="Metrics" description="Each gives a score from 0 to 1 to every row.">
            <MetricList metrics={metrics} onChange={setMetrics} />
          </Card>
          <Card title="Gates" description="The evaluation passes when all of them hold. One in each line.">
            <Field label="Conditions" hint="Such as score >= 0.9 or metrics.equals.mean >= 0.8." optional>
              <Textarea name="gates" code rows={3} spellCheck={false} />
            </Field>
          </Card>
          <Card title="Effects" description="A step with a pinned output does not run: its output is the pinned one.">
            <div className={styles.form}>
              <Field label="Steps that change something">
                <Select name="writes" options={WRITES} />
              </Field>
              <PinList steps={stepIds(document)} pins={pins} onChange={setPins} />
            </div>
          </Card>
          <Card title="Limits">
            <div className={styles.fields}>
              <TextField name="concurrency" label="Rows at a time" type="number" defaultValue="5" />
              <TextField
                name="row_timeout_seconds"
                label="Seconds for a row"
                type="number"
                optional
                placeholder="600"
              />
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

const chosen = (rows: readonly { readonly id: string }[], wanted: string | undefined): string =>
  (rows.find(({ id }) => id === wanted) ?? rows[0])?.id ?? '';

/** The steps of a document that can have a pinned output: those that hold no others. */
const stepIds = (document: JsonObject | null | undefined): string[] =>
  placesOf(document ?? {})
    .filter(({ id, type }) => id !== '' && blockTypeOf(type) === null)
    .map(({ id }) => id);
