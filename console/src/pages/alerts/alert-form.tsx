import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AlertView, api } from '../../api/client';
import {
  type ConditionKind,
  CONDITIONS,
  channelBody,
  channelDraft,
  conditionBody,
  fieldValue,
  newChannel,
} from '../../model/alerts';
import { Button, Checkbox, Field, Form, Select, TextField } from '../../ui';
import styles from './alerts.module.css';
import { ChannelFields } from './channel-fields';
import { workflowChoicesQuery } from './queries';

type Body = Parameters<typeof api.alerts.create>[0]['body'];

interface AlertFormProps {
  /** Null: a new one. */
  readonly alert: AlertView | null;
  /** The workflow that a new alert watches unless another is chosen. */
  readonly workflow?: string | undefined;
  readonly action: string;
  readonly onSave: (body: Body) => Promise<unknown>;
  readonly onClose: () => void;
}

const KINDS = Object.entries(CONDITIONS).map(([value, { label }]) => ({ value, label }));

/** The form of an alert: its condition, the workflows it watches, and where notices go. */
export function AlertForm({ alert, workflow, action, onSave, onClose }: AlertFormProps) {
  const [kind, setKind] = useState<ConditionKind>(alert?.condition.kind ?? 'failures_in_row');
  const [scope, setScope] = useState<readonly string[]>(
    alert === null ? [workflow ?? ''] : alert.scope.kind === 'tenant' ? [''] : alert.scope.workflow_ids,
  );
  const [channels, setChannels] = useState(alert?.channels.map(channelDraft) ?? [newChannel('first', 'mail')]);
  const [enabled, setEnabled] = useState(alert?.enabled ?? true);
  const condition = alert?.condition ?? null;
  // A share of the plan has no field here, and stays as it is.
  const isOfPlan = condition?.kind === 'budget' && condition.percent_of_plan !== undefined;
  const save = (values: Readonly<Record<string, string>>): Promise<unknown> => {
    const ids = scope.filter((id) => id !== '');
    return onSave({
      name: values.name ?? '',
      enabled,
      scope: kind === 'budget' || ids.length === 0 ? { kind: 'tenant' } : { kind: 'workflows', workflow_ids: ids },
      condition: isOfPlan && kind === 'budget' ? condition : conditionBody(kind, values),
      channels: channels.map(channelBody),
      quiet_period: values.quiet_period ?? '',
    });
  };
  return (
    <Form label="Alert" onSubmit={async (values) => save(values)}>
      {({ busy }) => (
        <>
          <TextField name="name" label="Name" defaultValue={alert?.name ?? ''} autoFocus />
          <Field label="Condition">
            <Select
              options={KINDS}
              value={kind}
              onChange={({ currentTarget: { value } }) => setKind(value as ConditionKind)}
            />
          </Field>
          {isOfPlan && kind === 'budget' ? (
            <p className="cell-muted">{`More than ${condition.percent_of_plan} % of the plan's runs of a month.`}</p>
          ) : (
            <div className={styles.fields} key={kind}>
              {CONDITIONS[kind].fields.map((field) =>
                field.kind === 'choice' ? (
                  <Field key={field.name} label={field.label}>
                    <Select
                      name={`condition.${field.name}`}
                      options={field.options}
                      defaultValue={fieldValue(condition, kind, field)}
                    />
                  </Field>
                ) : (
                  <TextField
                    key={field.name}
                    name={`condition.${field.name}`}
                    label={field.label}
                    hint={field.kind === 'duration' ? 'Such as 15m or 1h30m.' : undefined}
                    {...(field.kind === 'number' ? { inputMode: 'numeric' as const } : {})}
                    defaultValue={fieldValue(condition, kind, field)}
                  />
                ),
              )}
            </div>
          )}
          {kind !== 'budget' && <ScopeField scope={scope} onChange={setScope} />}
          <ChannelFields channels={channels} onChange={setChannels} />
          <TextField
            name="quiet_period"
            label="Quiet period"
            hint="Time between two notices of the same incident, from 1m to 7d."
            defaultValue={alert?.quiet_period ?? '30m'}
          />
          <Checkbox
            label="Enabled"
            checked={enabled}
            onChange={({ currentTarget: { checked } }) => setEnabled(checked)}
          />
          <div className={styles.actions}>
            <Button type="submit" kind="primary" busy={busy}>
              {action}
            </Button>
            <Button kind="ghost" onClick={onClose}>
              Cancel
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

interface ScopeProps {
  readonly scope: readonly string[];
  readonly onChange: (scope: readonly string[]) => void;
}

/** One workflow or all; several stay as they are unless another is chosen. */
function ScopeField({ scope, onChange }: ScopeProps) {
  const { data } = useQuery(workflowChoicesQuery);
  const [first = ''] = scope;
  const several = scope.length > 1 ? [{ value: 'several', label: `${scope.length} workflows` }] : [];
  const named = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const unknown = first !== '' && !named.some(({ value }) => value === first) ? [{ value: first, label: first }] : [];
  return (
    <Field label="Workflow">
      <Select
        options={[...several, { value: '', label: 'All, each for itself' }, ...unknown, ...named]}
        value={several.length > 0 ? 'several' : first}
        onChange={({ currentTarget: { value } }) => {
          if (value !== 'several') onChange([value]);
        }}
      />
    </Field>
  );
}
