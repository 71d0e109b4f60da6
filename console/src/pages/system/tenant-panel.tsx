import { useQuery } from '@tanstack/react-query';
import { api, type OperatorTenantView } from '../../api/client';
import { queryClient } from '../../app/queries';
import { LIMITS } from '../../model/usage';
import {
  Badge,
  Button,
  CopyText,
  Field,
  Form,
  type FormValues,
  KeyValues,
  Loaded,
  Meter,
  Notice,
  RelativeTime,
  Select,
  SidePanel,
  Skeleton,
  TextField,
  toast,
} from '../../ui';
import { tenantQuery } from './queries';
import { Suspension } from './suspension';
import { TenantLimits } from './tenant-limits';
import styles from './system.module.css';

const PLANS = ['free', 'pro', 'enterprise'] as const;

/** A tenant with what it uses, and its plan, which operators change. */
export function TenantPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const tenant = useQuery(tenantQuery(id));
  return (
    <SidePanel title={tenant.data?.name ?? 'Tenant'} onClose={onClose}>
      <Loaded query={tenant} skeleton={<Skeleton height={240} />}>
        {(view) => (
          <div className={styles.stack}>
            <KeyValues
              rows={[
                ['Slug', view.slug],
                ['Id', <CopyText key="id" text={view.id} />],
                ['Plan', <Badge key="plan">{view.plan}</Badge>],
                ['Subscription', view.subscription],
                ['Owners', view.owners.join(', ')],
                ['Created', <RelativeTime key="created" at={view.created_at} />],
              ]}
            />
            <section className={styles.stack} aria-label="Usage">
              <h3>Usage</h3>
              {LIMITS.map((limit) => (
                <Limit key={limit.name} tenant={view} {...limit} />
              ))}
            </section>
            <PlanForm tenant={view} />
            <TenantLimits tenant={view} />
            <Suspension tenant={view} />
          </div>
        )}
      </Loaded>
    </SidePanel>
  );
}

interface LimitProps {
  readonly tenant: OperatorTenantView;
  readonly name: string;
  readonly label: string;
  readonly format: (value: number) => string;
}

function Limit({ tenant: { limits, usage }, name, label, format }: LimitProps) {
  const used = usage[name] ?? 0;
  const max = limits[name] ?? null;
  return max === null ? (
    <KeyValues rows={[[label, `${format(used)}, no limit`]]} />
  ) : (
    <Meter label={label} value={used} max={max} format={format} />
  );
}

function PlanForm({ tenant: { id, plan, plan_is_sold: isSold } }: { readonly tenant: OperatorTenantView }) {
  const change = async ({ plan: wanted = '', reason = '' }: FormValues): Promise<void> => {
    const known = PLANS.find((each) => each === wanted);
    if (known === undefined) return;
    await api.auth.operator_set_plan({ id, body: { plan: known, reason } });
    toast('The plan is changed');
    await queryClient.invalidateQueries({ queryKey: ['system'] });
  };
  return (
    <section className={styles.stack} aria-label="Change the plan">
      <h3>Change the plan</h3>
      {isSold ? (
        <Notice tone="info">The subscription decides the plan: change it at the payment provider.</Notice>
      ) : (
        <Form key={plan} label="Change the plan" onSubmit={change}>
          {({ busy }) => (
            <>
              <Field label="Plan">
                <Select name="plan" defaultValue={plan} options={PLANS.map((value) => ({ value, label: value }))} />
              </Field>
              <TextField name="reason" label="Reason" hint="The audit log of the tenant has it, too." />
              <Button type="submit" kind="primary" busy={busy}>
                Change the plan
              </Button>
            </>
          )}
        </Form>
      )}
    </section>
  );
}
