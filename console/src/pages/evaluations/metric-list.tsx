import { COMMON_FIELDS, kindOf, METRIC_KINDS, type MetricDraft } from '../../model/metric-form';
import { Button, Field, IconButton, Input, Select, Textarea } from '../../ui';
import { DeleteIcon, PlusIcon } from '../../ui/icon';
import styles from './evaluations.module.css';

interface MetricListProps {
  readonly metrics: readonly MetricDraft[];
  readonly onChange: (metrics: readonly MetricDraft[]) => void;
}

const TYPES = METRIC_KINDS.map(({ type, label }) => ({ value: type, label }));

/** The metrics of a new evaluation. */
export function MetricList({ metrics, onChange }: MetricListProps) {
  const replace = (index: number, metric: MetricDraft): void => onChange(metrics.with(index, metric));
  return (
    <div className={styles.metrics}>
      {metrics.map((metric, index) => (
        <Metric
          key={index}
          index={index}
          metric={metric}
          onChange={(changed) => replace(index, changed)}
          onRemove={metrics.length === 1 ? null : () => onChange(metrics.toSpliced(index, 1))}
        />
      ))}
      <div>
        <Button icon={PlusIcon} onClick={() => onChange([...metrics, { type: 'equals', values: {} }])}>
          Add a metric
        </Button>
      </div>
    </div>
  );
}

interface MetricProps {
  readonly index: number;
  readonly metric: MetricDraft;
  readonly onChange: (metric: MetricDraft) => void;
  /** Null for the only one. */
  readonly onRemove: (() => void) | null;
}

function Metric({ index, metric, onChange, onRemove }: MetricProps) {
  const kind = kindOf(metric.type);
  const set = (name: string, value: string): void =>
    onChange({ ...metric, values: { ...metric.values, [name]: value } });
  return (
    <fieldset className={styles.metric}>
      <legend className="visually-hidden">{`Metric ${index + 1}`}</legend>
      <div className={styles.metricTop}>
        <Field label="Type" hint={kind.about}>
          <Select
            options={TYPES}
            value={metric.type}
            onChange={({ currentTarget: { value } }) => onChange({ type: value, values: metric.values })}
          />
        </Field>
        {onRemove !== null && <IconButton icon={DeleteIcon} label={`Remove metric ${index + 1}`} onClick={onRemove} />}
      </div>
      <div className={styles.fields}>
        {[...kind.fields, ...COMMON_FIELDS].map(({ name, label, kind: control, optional, placeholder, hint }) => {
          const props = {
            value: metric.values[name] ?? '',
            placeholder,
            required: optional !== true,
            spellCheck: false,
            onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set(name, value),
          };
          return (
            <div key={name} className={control === 'json' ? styles.whole : undefined}>
              <Field label={label} hint={hint} optional={optional}>
                {control === 'json' ? (
                  <Textarea {...props} code={name !== 'rubric'} rows={4} />
                ) : (
                  <Input
                    {...props}
                    code={control === 'code'}
                    inputMode={control === 'number' ? 'decimal' : undefined}
                  />
                )}
              </Field>
            </div>
          );
        })}
      </div>
    </fieldset>
  );
}
