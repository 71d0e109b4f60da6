import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, type ExecutionView, type StepView } from '../../api/client';
import { formatCount, formatDuration, formatInstant, formatUsd } from '../../model/format';
import { loopText } from '../../model/loop-path';
import {
  Button,
  ConfirmDialog,
  JsonView,
  KeyValues,
  LinkButton,
  Loaded,
  Notice,
  RelativeTime,
  SidePanel,
  Status,
  Tabs,
  toast,
} from '../../ui';
import { EditIcon, LoopIcon, RetryIcon } from '../../ui/icon';
import { ItemNavigator } from './item-navigator';
import { LogLines } from './log-lines';
import { PartialValue } from './partial-value';
import { stepQuery, wholeStepValue } from './queries';
import styles from './run.module.css';

type Part = 'output' | 'input' | 'config' | 'logs' | 'attempts' | 'parts';

interface StepPanelProps {
  readonly run: ExecutionView;
  readonly path: string;
  readonly onOpenStep: (path: string) => void;
  readonly onClose: () => void;
}

/** One step: result, input, earlier attempts, and a retry from here. */
export function StepPanel({ run, path, onOpenStep, onClose }: StepPanelProps) {
  const step = useQuery(stepQuery(run.id, path));
  return (
    <SidePanel
      title={step.data?.step_id ?? path}
      aside={step.data && <Status status={step.data.status} />}
      onClose={onClose}
    >
      <ItemNavigator runId={run.id} path={step.data?.path ?? path} onOpenStep={onOpenStep} />
      <Loaded query={step}>
        {(data) =>
          data === null ? <p className="cell-muted">This step has not begun.</p> : <Step run={run} step={data} />
        }
      </Loaded>
    </SidePanel>
  );
}

function Step({ run, step }: { readonly run: ExecutionView; readonly step: StepView }) {
  const [part, setPart] = useState<Part>('output');
  const attempts = step.attempts?.length ?? 0;
  const parts = step.parts?.length ?? 0;
  const tabs: readonly { readonly key: Part; readonly label: string; readonly count?: number }[] = [
    { key: 'output', label: 'Output' },
    { key: 'input', label: 'Input' },
    { key: 'config', label: 'Settings' },
    { key: 'logs', label: 'Log' },
    ...(attempts > 0 ? [{ key: 'attempts' as const, label: 'Failed attempts', count: attempts }] : []),
    ...(parts > 0 ? [{ key: 'parts' as const, label: 'Parts', count: parts }] : []),
  ];
  return (
    <div className={styles.step}>
      {step.error !== null && (
        <Notice tone="danger">
          <strong>{step.error.code}</strong>
          <p className={styles.errorText}>{step.error.message}</p>
        </Notice>
      )}
      <KeyValues
        rows={[
          ['Type', step.type],
          ['Path', step.path === step.step_id ? null : <code key="path">{step.path}</code>],
          ['Started', step.started_at && <RelativeTime key="at" at={step.started_at} />],
          ['Duration', step.duration_ms === null ? null : formatDuration(step.duration_ms)],
          ['Attempt', step.attempt > 1 ? String(step.attempt) : null],
          ['Items', step.loop ? loopText(step.loop) : null],
          ['Tokens', tokensOf(step)],
          ['Cost', step.cost_usd === null ? null : formatUsd(step.cost_usd)],
        ]}
      />
      <div className={styles.actions}>
        {run.status !== 'running' && step.started_at !== null && <RetryFrom run={run} step={step} />}
        {step.loop && (
          <LinkButton
            size="small"
            icon={LoopIcon}
            to="/runs/$id"
            params={{ id: run.id }}
            search={{ tab: 'steps', in: step.path }}
          >
            Steps inside
          </LinkButton>
        )}
        <LinkButton
          size="small"
          icon={EditIcon}
          to="/workflows/$id"
          params={{ id: run.workflow_def_id }}
          search={{ step: step.step_id, run: run.id }}
        >
          Open in the editor
        </LinkButton>
      </div>
      <div>
        <Tabs label="Parts of the step" tabs={tabs} active={part} onChange={setPart}>
          <StepPart part={part} run={run} step={step} />
        </Tabs>
      </div>
    </div>
  );
}

const tokensOf = ({ input_tokens: input, output_tokens: output }: StepView): string | null =>
  input === null && output === null ? null : `${formatCount(input ?? 0)} in, ${formatCount(output ?? 0)} out`;

function StepPart({ part, run, step }: { part: Part; run: ExecutionView; step: StepView }): ReactNode {
  switch (part) {
    case 'attempts':
      return (
        <ol className={styles.attempts}>
          {step.attempts?.map(({ attempt, error, ended_at: endedAt }) => (
            <li key={attempt}>
              <strong>{`Attempt ${attempt}`}</strong>
              <span className="cell-muted">{formatInstant(Date.parse(endedAt), true)}</span>
              <p className={styles.errorText}>{error.message}</p>
            </li>
          ))}
        </ol>
      );
    case 'logs':
      return <LogLines runId={run.id} path={step.path} />;
    case 'parts':
      return <JsonView value={step.parts} label="Parts" />;
    default:
      return step[part] === null ? (
        <p className="cell-muted">{part === 'output' ? 'There is no output.' : 'Nothing is recorded.'}</p>
      ) : (
        <PartialValue
          value={step[part]}
          label={part}
          isCut={step.cut?.includes(part) === true}
          load={() => wholeStepValue(run.id, step.path, part)}
          fileName={`${step.step_id}-${part}`}
        />
      );
  }
}

function RetryFrom({ run, step }: { readonly run: ExecutionView; readonly step: StepView }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const retry = async (): Promise<void> => {
    const started = await api.executions.retry({ id: run.id, body: { from_step: step.path } });
    toast('The retry has started');
    await navigate({ to: '/runs/$id', params: { id: started.id } });
  };
  return (
    <>
      <div>
        <Button edits size="small" icon={RetryIcon} onClick={() => setAsking(true)}>
          Retry from here
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title={`Retry from ${step.step_id}?`}
          action="Retry"
          onConfirm={retry}
          onClose={() => setAsking(false)}
        >
          <p>
            {step.iteration === null
              ? 'A new run starts. It reuses the results of other completed steps, and runs this step and what depends on it again.'
              : `A new run starts. It runs this step again in item ${step.iteration} alone, with what depends on it, and reuses the results of the other items.`}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
