import { configFields } from '../../model/config-form';
import {
  blockTypeOf,
  insertSteps,
  isObject,
  type Path,
  pathText,
  setValue,
  type StepPlace,
} from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { Button, Field, Input, Select } from '../../ui';
import { PlusIcon } from '../../ui/icon';
import { useEditor } from './editor-context';
import { ValueField, textField } from './value-field';
import styles from './editor.module.css';

const RETRY_SCHEMA = {
  properties: {
    max_attempts: { type: 'integer', title: 'Attempts', description: 'In all, up to 100.', default: 1 },
    backoff: { enum: ['fixed', 'linear', 'exponential'], title: 'Back-off', default: 'exponential' },
    initial_interval: { type: 'string', title: 'First delay', default: '1s' },
    max_interval: { type: 'string', title: 'Longest delay', default: '5m' },
  },
};

/** When a step runs, how often it is tried, and what its failure means. */
export function StepPolicies({ place }: { readonly place: StepPlace }) {
  const { state, edit } = useEditor();
  const document = documentOf(state);
  const { step, path, list, id } = place;
  const isBlock = blockTypeOf(step.type) !== null;
  const set = (value: unknown, at: Path): void => edit(setValue(document, at, value), pathText(at));
  const retry = isObject(step.retry) ? step.retry : {};
  const others = list.steps.flatMap(({ id: other }) => (typeof other === 'string' && other !== id ? [other] : []));
  const needs: readonly unknown[] = Array.isArray(step.needs) ? step.needs : [];
  const onError = Array.isArray(step.on_error) ? 'steps' : typeof step.on_error === 'string' ? step.on_error : 'fail';
  return (
    <>
      <ValueField
        field={textField('if', 'Only if', 'Otherwise the step is skipped.', '{{ trigger.body.total > 100 }}')}
        path={[...path, 'if']}
        value={step.if}
        onChange={set}
      />
      {others.length > 0 && (
        <Field
          label="Runs after"
          optional
          hint="Without a choice, after the step before. Independent steps run side by side."
        >
          <div className={styles.chips} role="group" aria-label="Runs after">
            {others.map((other) => {
              const on = needs.includes(other);
              return (
                <button
                  key={other}
                  type="button"
                  className={styles.chip}
                  aria-pressed={on}
                  onClick={() => {
                    const next = on ? needs.filter((need) => need !== other) : [...needs, other];
                    set(next.length === 0 ? undefined : next, [...path, 'needs']);
                  }}
                >
                  {other}
                </button>
              );
            })}
          </div>
        </Field>
      )}
      <Field label="When it fails">
        <Select
          options={[
            { value: 'fail', label: 'The run fails' },
            { value: 'continue', label: 'The run goes on' },
            { value: 'steps', label: 'Steps of its own run' },
          ]}
          value={onError}
          onChange={({ currentTarget: { value } }) =>
            set(value === 'fail' ? undefined : value === 'steps' ? [] : value, [...path, 'on_error'])
          }
        />
      </Field>
      {!Array.isArray(step.compensate) && (
        <div>
          <Button
            size="small"
            icon={PlusIcon}
            onClick={() => {
              const prepared = setValue(document, [...path, 'compensate'], []);
              if (!prepared.ok) return edit(prepared);
              const undo = { id: `undo_${id}`, type: 'set', config: {} };
              edit(insertSteps(prepared.document, { list: [...path, 'compensate'], index: 0 }, [undo]));
            }}
          >
            Add steps that undo this one
          </Button>
        </div>
      )}
      {!isBlock && (
        <>
          <h3>Retry</h3>
          {configFields(RETRY_SCHEMA).map((field) => (
            <ValueField
              key={field.name}
              field={field}
              path={[...path, 'retry', field.name]}
              value={Object.hasOwn(retry, field.name) ? retry[field.name] : undefined}
              onChange={(value, at) => {
                const isLast = value === undefined && Object.keys(retry).every((name) => name === field.name);
                set(value, isLast ? [...path, 'retry'] : at);
              }}
            />
          ))}
        </>
      )}
      <Field label="Time limit" optional hint="Longest time for one attempt, such as 30s or 2h; 60 s unless set.">
        <Input
          code
          value={step.timeout === undefined ? '' : String(step.timeout)}
          onChange={({ currentTarget: { value } }) => set(value === '' ? undefined : value, [...path, 'timeout'])}
        />
      </Field>
      {!isBlock && (
        <Field
          label="Keep the output"
          optional
          hint="Later runs with the same input take this output instead, for as long as 10m or 1d."
        >
          <Input
            code
            value={cacheText(step.cache)}
            disabled={isObject(step.cache)}
            onChange={({ currentTarget: { value } }) => set(value === '' ? undefined : value, [...path, 'cache'])}
          />
        </Field>
      )}
    </>
  );
}

const cacheText = (cache: unknown): string =>
  cache === undefined
    ? ''
    : isObject(cache)
      ? `${String(cache.ttl)} (with a key of its own; change it in the code)`
      : String(cache);
