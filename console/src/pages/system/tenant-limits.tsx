import { useState } from 'react';
import { api, type OperatorTenantView } from '../../api/client';
import { queryClient } from '../../app/queries';
import { isFuture } from '../../model/is-future';
import { LIMIT_LABELS, limitText } from '../../model/usage';
import {
  Badge,
  Button,
  ConfirmDialog,
  Field,
  Form,
  type FormValues,
  RelativeTime,
  Select,
  TextField,
  toast,
} from '../../ui';
import styles from './system.module.css';

type Override = OperatorTenantView['overrides'][number];

const OPTIONS = LIMIT_LABELS.map(({ name, label }) => ({ value: name, label }));
const labelOf = (limit: Override['limit']) =>
  LIMIT_LABELS.find(({ name }) => name === limit) ?? { label: limit, isSize: false };
const nameOf = (limit: Override['limit']): string => labelOf(limit).label;
const valueText = (limit: Override['limit'], value: number | null | undefined): string =>
  limitText(value ?? null, labelOf(limit).isSize);
const refresh = () => queryClient.invalidateQueries({ queryKey: ['system'] });

/** The limits that are agreed for a tenant beside its plan. */
export function TenantLimits({
  tenant: { id, overrides, plan_limits: ofPlan },
}: {
  readonly tenant: OperatorTenantView;
}) {
  const [removed, setRemoved] = useState<Override | null>(null);
  const set = async ({ limit = '', value = '', expires = '', note = '' }: FormValues): Promise<void> => {
    const known = LIMIT_LABELS.find(({ name }) => name === limit);
    if (known === undefined) return;
    await api.auth.operator_set_limit({
      id,
      limit: known.name,
      body: {
        value: value === '' ? null : Number(value),
        note,
        ...(expires === '' ? {} : { expires_at: new Date(expires).toISOString() }),
      },
    });
    toast('The limit is set');
    await refresh();
  };
  return (
    <section className={styles.stack} aria-label="Limits of its own">
      <h3>Limits of its own</h3>
      {overrides.map((each) => (
        <div key={each.limit} className={styles.line}>
          <p>
            {nameOf(each.limit)}: <strong>{valueText(each.limit, each.value)}</strong> instead of{' '}
            {valueText(each.limit, ofPlan[each.limit])}
            <br />
            <span className="cell-muted">
              {each.note}
              {each.expires_at !== null && (
                <>
                  {isFuture(each.expires_at) ? ' · until ' : ' · expired '}
                  <RelativeTime at={each.expires_at} />
                </>
              )}
            </span>{' '}
            {each.expires_at !== null && !isFuture(each.expires_at) && <Badge>expired</Badge>}
          </p>
          <Button size="small" aria-label={`Remove the limit ${nameOf(each.limit)}`} onClick={() => setRemoved(each)}>
            Remove
          </Button>
        </div>
      ))}
      <Form key={overrides.length} label="Set a limit" onSubmit={set}>
        {({ busy }) => (
          <>
            <Field label="Limit">
              <Select name="limit" options={OPTIONS} />
            </Field>
            <TextField name="value" label="Value" type="number" optional hint="Sizes are in MiB. Empty: no limit." />
            <TextField
              name="expires"
              label="Until"
              type="datetime-local"
              optional
              hint="Then the plan applies again."
            />
            <TextField name="note" label="Note" maxLength={500} hint="The audit log of the tenant has it, too." />
            <Button type="submit" busy={busy}>
              Set the limit
            </Button>
          </>
        )}
      </Form>
      {removed !== null && (
        <ConfirmDialog
          title={`Remove the limit ${nameOf(removed.limit)}?`}
          action="Remove the limit"
          onClose={() => setRemoved(null)}
          onConfirm={async () => {
            await api.auth.operator_remove_limit({ id, limit: removed.limit });
            await refresh();
          }}
        >
          {`The plan applies again: ${valueText(removed.limit, ofPlan[removed.limit])}. What exceeds it stays, and no more is admitted.`}
        </ConfirmDialog>
      )}
    </section>
  );
}
