import { useState } from 'react';
import { api, type StepTestView, type WorkflowDocument } from '../../api/client';
import { isObject, setValue, type StepPlace } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Button, EmptyState, JsonView, Notice, Status, toastError } from '../../ui';
import { PinIcon, PlayIcon, TryIcon } from '../../ui/icon';
import { PartialValue } from '../run/partial-value';
import { wholeStepValue } from '../run/queries';
import { useEditor } from './editor-context';
import styles from './editor.module.css';

/** The output of a step in the sample; it can be pinned, and the step can be run on its own. */
export function StepOutcome({ place }: { readonly place: StepPlace }) {
  const { state, edit, sample, openPanel, workflowId } = useEditor();
  const [test, setTest] = useState<StepTestView | null>(null);
  const [busy, setBusy] = useState(false);
  const document = documentOf(state);
  const { id, step, path } = place;
  const pin = (value: unknown): void => edit(setValue(document, [...path, 'pin'], value));
  const output = Object.hasOwn(sample.steps, id) ? sample.steps[id] : undefined;
  const { runId } = sample;
  const cutAt = Object.hasOwn(sample.cut, id) ? sample.cut[id] : undefined;
  const wholeOutput = async (): Promise<unknown> =>
    runId === null || cutAt === undefined ? output : wholeStepValue(runId, cutAt, 'output');
  const runTest = async (): Promise<void> => {
    const trigger = runId === null ? sample.trigger : (await api.executions.get({ id: runId })).trigger;
    setTest(
      await api.workflows.test_document_step({
        body: {
          // The server checks the document, and names what is wrong.
          dsl: document as unknown as WorkflowDocument,
          step_id: id,
          ...(workflowId === null ? {} : { workflow_id: workflowId }),
          ...(runId === null ? {} : { from_execution: runId }),
          ...(isObject(trigger) ? { trigger: { ...trigger } } : {}),
        },
      }),
    );
  };
  const run = (): void => {
    setBusy(true);
    runTest()
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <div className={styles.chips}>
        <Button edits size="small" icon={PlayIcon} busy={busy} onClick={run}>
          Test this step
        </Button>
        <Button edits size="small" icon={TryIcon} onClick={() => openPanel('try')}>
          Run to here
        </Button>
      </div>
      <p className="cell-muted">
        A test runs this step alone, with the outputs of the shown run for the steps before it. Its effects are real.
      </p>
      {test !== null && <TestResult test={test} onPin={pin} />}
      {step.pin !== undefined && (
        <>
          <Notice
            actions={
              <Button edits size="small" onClick={() => pin(undefined)}>
                Remove the pin
              </Button>
            }
          >
            The output is pinned: runs that are started by hand take it instead of running the step.
          </Notice>
          <JsonView value={step.pin} label="Pinned output" />
        </>
      )}
      {output !== undefined && (
        <Output
          title="Output of the shown run"
          value={output}
          isCut={cutAt !== undefined}
          load={wholeOutput}
          onPin={() => void wholeOutput().then(pin, toastError)}
        />
      )}
      {output === undefined && test === null && (
        <EmptyState icon={TryIcon} title="No output yet">
          Run the draft, or choose an earlier run, to see what this step gives.
        </EmptyState>
      )}
    </>
  );
}

interface OutputProps {
  readonly title: string;
  readonly value: unknown;
  readonly isCut: boolean;
  readonly load: () => Promise<unknown>;
  readonly onPin: () => void;
}

function Output({ title, value, isCut, load, onPin }: OutputProps) {
  return (
    <section className={styles.docs}>
      <h3>{title}</h3>
      <PartialValue value={value} label={title} isCut={isCut} load={load} fileName="output" />
      <div>
        <Button edits size="small" icon={PinIcon} onClick={onPin}>
          Pin this output
        </Button>
      </div>
    </section>
  );
}

function TestResult({ test, onPin }: { readonly test: StepTestView; readonly onPin: (value: unknown) => void }) {
  return (
    <section className={styles.docs}>
      <div className={styles.chips}>
        <Status status={test.status} />
        {test.duration_ms !== null && <span className="cell-muted">{`${test.duration_ms} ms`}</span>}
      </div>
      {test.error !== null && <Notice tone="danger">{test.error.message}</Notice>}
      {test.waiting.length > 0 && <p>The step waits, which ends a test.</p>}
      {test.output !== null && (
        <Output
          title="Output of the test"
          value={test.output}
          isCut={false}
          load={() => Promise.resolve(test.output)}
          onPin={() => onPin(test.output)}
        />
      )}
      {test.logs.length > 0 && (
        <ul className={styles.problems}>
          {test.logs.map(({ at, level, message }) => (
            <li key={`${at} ${message}`}>
              <span className="cell-muted">{level}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
