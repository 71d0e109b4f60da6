import { formatCount, formatDuration, formatUsd } from '../../model/format';
import { type PromptVariant, PROVIDERS, type VariantFaults } from '../../model/playground';
import { ModelFault } from '../../app/model-fault';
import { Button, Card, CopyButton, Field, IconButton, Input, Select, SkeletonRows, Textarea } from '../../ui';
import { CloseIcon, WorkflowIcon } from '../../ui/icon';
import type { Outcome } from './ask';
import styles from './playground.module.css';

interface VariantCardProps {
  readonly title: string;
  readonly variant: PromptVariant;
  readonly faults: VariantFaults;
  readonly outcome: Outcome;
  onChange(variant: PromptVariant): void;
  onUse(): void;
  /** Absent for the only variant. */
  readonly onRemove?: (() => void) | undefined;
}

/** A prompt with its model, and the answer. */
export function VariantCard({ title, variant, faults, outcome, onChange, onUse, onRemove }: VariantCardProps) {
  const bind = (field: keyof PromptVariant) => ({
    value: variant[field],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ ...variant, [field]: value }),
  });
  return (
    <Card
      title={title}
      actions={
        <>
          <Button edits icon={WorkflowIcon} disabled={variant.prompt.trim() === ''} onClick={onUse}>
            Use in a workflow
          </Button>
          {onRemove !== undefined && <IconButton icon={CloseIcon} label={`Remove ${title}`} onClick={onRemove} />}
        </>
      }
    >
      <div className={styles.stack}>
        <Field label="System prompt" optional>
          <Textarea rows={2} placeholder="You answer in one sentence." {...bind('system')} />
        </Field>
        <Field label="Prompt" error={faults.prompt ?? null}>
          <Textarea rows={5} placeholder="Summarise in one sentence: {{ trigger.text }}" {...bind('prompt')} />
        </Field>
        <div className={styles.pair}>
          <Field label="Provider">
            <Select options={PROVIDERS} {...bind('provider')} />
          </Field>
          <Field label="Model">
            <Input placeholder="Default" {...bind('model')} />
          </Field>
          <Field label="Temperature" error={faults.temperature ?? null}>
            <Input inputMode="decimal" {...bind('temperature')} />
          </Field>
          <Field label="Maximum tokens" error={faults.max_tokens ?? null}>
            <Input inputMode="numeric" {...bind('max_tokens')} />
          </Field>
        </div>
        {variant.provider !== '' && (
          <div className={styles.pair}>
            <Field label="Key" hint="Best a secret, such as {{ secret.OPENAI_KEY }}." optional>
              <Input code {...bind('api_key')} />
            </Field>
            <Field label="Address of the server" optional={variant.provider !== 'openai-compatible'}>
              <Input type="url" placeholder="http://localhost:11434/v1" {...bind('base_url')} />
            </Field>
          </div>
        )}
        <Answer title={title} outcome={outcome} />
      </div>
    </Card>
  );
}

function Answer({ title, outcome }: { readonly title: string; readonly outcome: Outcome }) {
  return (
    <section
      className={styles.answer}
      aria-label={`Answer to ${title}`}
      aria-live="polite"
      aria-busy={outcome.kind === 'asked'}
    >
      {content()}
    </section>
  );

  function content() {
    switch (outcome.kind) {
      case 'none':
        return <p className={styles.hint}>The answer appears here.</p>;
      case 'asked':
        return <SkeletonRows rows={2} label="Waiting for the model" />;
      case 'failed':
        return <ModelFault fault={outcome.fault} />;
      case 'answered': {
        const { answer, ms } = outcome;
        return (
          <>
            <div className={styles.text}>
              <p>{answer.text}</p>
              <CopyButton text={answer.text} label="Copy the answer" />
            </div>
            <p className={styles.facts}>
              <span>{answer.model}</span>
              <span>{formatDuration(ms)}</span>
              <span>{`${formatCount(answer.input_tokens)} tokens in, ${formatCount(answer.output_tokens)} out`}</span>
              <span>{answer.cost_usd === null ? 'price unknown' : formatUsd(answer.cost_usd)}</span>
              {answer.finish_reason !== 'stop' && <span>{`ended by ${answer.finish_reason}`}</span>}
            </p>
          </>
        );
      }
    }
  }
}
