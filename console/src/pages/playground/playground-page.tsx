import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { parseJsonObject } from '../../model/json-input';
import { EMPTY_VARIANT, faultsOf, hasExpressions, type PromptVariant, workflowOf } from '../../model/playground';
import { Button, Card, Field, Page, Textarea, toastError } from '../../ui';
import { PlayIcon, PlusIcon } from '../../ui/icon';
import { ask, type Outcome } from './ask';
import styles from './playground.module.css';
import { playgroundRoute } from './route';
import { VariantCard } from './variant-card';

interface Trial {
  readonly variant: PromptVariant;
  readonly outcome: Outcome;
}

const NONE: Outcome = { kind: 'none' };

/** Tries a prompt, or compares two, without a workflow. */
export function PlaygroundPage() {
  const navigate = playgroundRoute.useNavigate();
  const [trials, setTrials] = useState<readonly Trial[]>([{ variant: EMPTY_VARIANT, outcome: NONE }]);
  const [sample, setSample] = useState('{ "text": "The tide comes in twice a day." }');
  const [sampleFault, setSampleFault] = useState<string | null>(null);
  const [checked, setChecked] = useState(false);
  const change = (at: number, to: Partial<Trial>): void =>
    setTrials((before) => before.map((trial, index) => (index === at ? { ...trial, ...to } : trial)));
  const run = useMutation({
    mutationFn: (values: Record<string, unknown>) =>
      Promise.all(
        trials.map(async ({ variant }, index) => {
          change(index, { outcome: { kind: 'asked' } });
          change(index, { outcome: await ask(variant, values) });
        }),
      ),
  });
  const start = (): void => {
    setChecked(true);
    setSampleFault(null);
    if (trials.some(({ variant }) => Object.keys(faultsOf(variant)).length > 0)) return;
    try {
      run.mutate(parseJsonObject(sample));
    } catch (fault) {
      setSampleFault(fault instanceof Error ? fault.message : String(fault));
    }
  };
  const use = useMutation({
    mutationFn: (variant: PromptVariant) =>
      api.workflows.create({ body: { name: 'Prompt of the playground', dsl: workflowOf(variant) } }),
    onSuccess: ({ id }) => void navigate({ to: '/workflows/$id', params: { id } }),
    onError: toastError,
  });
  return (
    <Page
      title="Playground"
      description="Asks a language model without a workflow, to find the words of a prompt. Two prompts or models can be compared; tokens count as those of steps do."
      actions={
        <>
          {trials.length === 1 && (
            <Button
              icon={PlusIcon}
              onClick={() =>
                setTrials((before) => before.concat(before.map(({ variant }) => ({ variant, outcome: NONE }))))
              }
            >
              Compare with another
            </Button>
          )}
          <Button edits kind="primary" icon={PlayIcon} busy={run.isPending} onClick={start}>
            Ask
          </Button>
        </>
      }
    >
      <div className={styles.trials}>
        {trials.map(({ variant, outcome }, index) => (
          // A variant is known by its place.
          <VariantCard
            key={index}
            title={trials.length === 1 ? 'Prompt' : `Prompt ${index === 0 ? 'A' : 'B'}`}
            variant={variant}
            faults={checked ? faultsOf(variant) : {}}
            outcome={outcome}
            onChange={(to) => change(index, { variant: to })}
            onUse={() => use.mutate(variant)}
            onRemove={
              trials.length === 1 ? undefined : () => setTrials((before) => before.filter((_, at) => at !== index))
            }
          />
        ))}
      </div>
      {trials.some(({ variant }) => hasExpressions(variant)) && (
        <Card title="Values" description="What the expressions of the prompts read as trigger.">
          <Field label="Data of the trigger, as JSON" error={sampleFault}>
            <Textarea code rows={4} value={sample} onChange={({ currentTarget: { value } }) => setSample(value)} />
          </Field>
        </Card>
      )}
    </Page>
  );
}
