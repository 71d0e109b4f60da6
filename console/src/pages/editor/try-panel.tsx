import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type WorkflowDocument } from '../../api/client';
import { pathText, placesOf } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { parseJsonObject } from '../../model/json-input';
import { Button, Checkbox, Field, Notice, Select, SidePanel, Status, Textarea } from '../../ui';
import { PlayIcon } from '../../ui/icon';
import { PartialValue } from '../run/partial-value';
import { runQuery } from '../run/queries';
import { useEditor } from './editor-context';
import styles from './editor.module.css';
import { editorRoute } from './route';

const MAX_SAMPLES = 20;
const FIRST_INPUT = '{\n  "body": {}\n}';

/** Runs the document as it is in the editor, without saving it; or takes an earlier run as the sample. */
export function TryPanel({ onClose }: { readonly onClose: () => void }) {
  const { state, workflowId, problems, sample } = useEditor();
  const navigate = editorRoute.useNavigate();
  const document = documentOf(state);
  const places = placesOf(document);
  const active = places.find(({ path }) => pathText(path) === state.selection.at(-1));
  const [input, setInput] = useState(FIRST_INPUT);
  const [until, setUntil] = useState(active?.id ?? '');
  const [suppress, setSuppress] = useState(false);
  const [reuse, setReuse] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const show = (id: string | undefined): void =>
    void navigate({ search: (previous) => ({ ...previous, run: id }), replace: true });
  const start = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      const run = await api.workflows.try({
        body: {
          // The server checks the document, and names what is wrong.
          dsl: document as unknown as WorkflowDocument,
          ...(workflowId === null ? {} : { workflow_id: workflowId }),
          trigger: parseJsonObject(input),
          ...(until === '' ? {} : { until_step: until }),
          ...(suppress ? { suppress_writes: true } : {}),
          ...(reuse && sample.runId !== null ? { from_execution: sample.runId } : {}),
        },
      });
      show(run.id);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <SidePanel title="Try the draft" onClose={onClose}>
      {problems.errors.length > 0 && <Notice tone="warn">The document has problems; mend them to run it.</Notice>}
      {fault !== null && <Notice tone="danger">{fault}</Notice>}
      <Samples workflowId={workflowId} onInput={setInput} onRun={show} />
      <Field label="Start with" hint="The trigger's data, as {{ trigger.… }} sees it.">
        <Textarea
          code
          rows={6}
          spellCheck={false}
          value={input}
          onChange={({ currentTarget: { value } }) => setInput(value)}
        />
      </Field>
      <Field label="Run">
        <Select
          options={[
            { value: '', label: 'The whole workflow' },
            ...places.map(({ id }) => ({ value: id, label: `Up to ${id}` })),
          ]}
          value={until}
          onChange={({ currentTarget: { value } }) => setUntil(value)}
        />
      </Field>
      <Checkbox
        label="Leave out steps that change something elsewhere"
        checked={suppress}
        onChange={({ currentTarget: { checked } }) => setSuppress(checked)}
      />
      {sample.runId !== null && (
        <Checkbox
          label="Reuse unchanged steps of the shown run"
          checked={reuse}
          onChange={({ currentTarget: { checked } }) => setReuse(checked)}
        />
      )}
      <div>
        <Button edits kind="primary" icon={PlayIcon} busy={busy} onClick={() => void start()}>
          Run the trial
        </Button>
      </div>
      {sample.runId !== null && <Outcome runId={sample.runId} />}
    </SidePanel>
  );
}

interface SamplesProps {
  readonly workflowId: string | null;
  readonly onInput: (text: string) => void;
  readonly onRun: (id: string) => void;
}

/** Deliveries and earlier runs that the trial can begin with. */
function Samples({ workflowId, onInput, onRun }: SamplesProps) {
  const { data } = useQuery({
    queryKey: ['workflows', workflowId, 'samples'],
    queryFn: async ({ signal }) => {
      const id = workflowId ?? '';
      const [deliveries, runs] = await Promise.all([
        api.channels.deliveries({ id, limit: MAX_SAMPLES }, { signal }),
        api.executions.list({ workflow_id: id, limit: MAX_SAMPLES }, { signal }),
      ]);
      return { deliveries: deliveries.data, runs: runs.data };
    },
    enabled: workflowId !== null,
  });
  if (data === undefined || data.deliveries.length + data.runs.length === 0) return null;
  const choose = async (value: string): Promise<void> => {
    const [kind, id = ''] = value.split(' ');
    if (workflowId === null || id === '') return;
    if (kind === 'run') {
      const run = await api.executions.get({ id });
      onInput(JSON.stringify(run.trigger, null, 2));
      onRun(id);
      return;
    }
    const { headers, query, body } = await api.channels.delivery({ id: workflowId, delivery_id: id });
    onInput(JSON.stringify({ body: parsedBody(body), headers, query }, null, 2));
  };
  return (
    <Field label="Sample" optional hint="Data of a request that came in, or of an earlier run with its outputs.">
      <Select
        options={[
          { value: '', label: 'Type it in' },
          ...data.deliveries.map(({ id, received_at: at, method }) => ({
            value: `delivery ${id}`,
            label: `Request ${method} of ${new Date(at).toLocaleString()}`,
          })),
          ...data.runs.map(({ id, started_at: at, status }) => ({
            value: `run ${id}`,
            label: `Run of ${new Date(at).toLocaleString()}, ${status}`,
          })),
        ]}
        onChange={({ currentTarget: { value } }) => void choose(value)}
      />
    </Field>
  );
}

const parsedBody = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A body of another type is a text.
    return text;
  }
};

/** The state and the result of the run that is shown on the canvas. */
function Outcome({ runId }: { readonly runId: string }) {
  const { data } = useQuery(runQuery(runId));
  if (data === undefined) return null;
  return (
    <section className={styles.docs}>
      <div className={styles.chips}>
        <Status status={data.status} />
        <Link to="/runs/$id" params={{ id: runId }}>
          Open the run
        </Link>
      </div>
      {data.waiting.map(({ step_id: step, kind }) => (
        <p key={step} className="cell-muted">{`${step} waits: ${kind}`}</p>
      ))}
      {data.error !== null && <Notice tone="danger">{data.error.message}</Notice>}
      {data.output !== null && (
        <PartialValue
          value={data.output}
          label="Output of the run"
          isCut={data.cut?.includes('output') === true}
          load={async () => (await api.executions.get({ id: runId })).output}
          fileName="run-output"
        />
      )}
    </section>
  );
}
