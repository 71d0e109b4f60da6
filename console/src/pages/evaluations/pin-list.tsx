import type { PinDraft } from '../../model/evaluation-form';
import { Button, Field, IconButton, Select, Textarea } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import styles from './evaluations.module.css';

interface PinListProps {
  /** Ids of the steps that can be pinned. */
  readonly steps: readonly string[];
  readonly pins: readonly PinDraft[];
  readonly onChange: (pins: readonly PinDraft[]) => void;
}

/** Outputs of steps that do not run in the evaluation. */
export function PinList({ steps, pins, onChange }: PinListProps) {
  const change = (index: number, part: Partial<PinDraft>): void =>
    onChange(pins.map((pin, at) => (at === index ? { ...pin, ...part } : pin)));
  // A step of another version stays in the list, so that its loss is seen.
  const options = [...new Set([...steps, ...pins.map(({ step }) => step)])].map((step) => ({
    value: step,
    label: steps.includes(step) ? step : `${step} (not in this document)`,
  }));
  const free = steps.find((step) => pins.every((pin) => pin.step !== step));
  return (
    <div className={styles.metrics}>
      {pins.map(({ step, output }, index) => (
        <fieldset key={index} className={styles.metric}>
          <legend className="visually-hidden">{`Pinned output ${index + 1}`}</legend>
          <div className={styles.metricTop}>
            <Field label="Step">
              <Select
                options={options}
                value={step}
                onChange={({ currentTarget: { value } }) => change(index, { step: value })}
              />
            </Field>
            <IconButton
              icon={DeleteIcon}
              label={`Remove the pinned output of ${step}`}
              onClick={() => onChange(pins.toSpliced(index, 1))}
            />
          </div>
          <Field label="Output">
            <Textarea
              code
              rows={3}
              spellCheck={false}
              value={output}
              onChange={({ currentTarget: { value } }) => change(index, { output: value })}
            />
          </Field>
        </fieldset>
      ))}
      <div>
        <Button
          icon={PlusIcon}
          disabled={free === undefined}
          onClick={() => onChange([...pins, { step: free ?? '', output: '{}' }])}
        >
          Pin an output
        </Button>
      </div>
    </div>
  );
}
