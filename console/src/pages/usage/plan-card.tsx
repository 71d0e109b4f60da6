import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type PlanView, type SubscriptionView } from '../../api/client';
import { useMe } from '../../app/queries';
import { formatInstant } from '../../model/format';
import { LIMIT_LABELS, limitText } from '../../model/usage';
import { Badge, Button, Card, Loaded, Notice, Skeleton, toastError } from '../../ui';
import { ExternalIcon } from '../../ui/icon';
import { plansQuery, subscriptionQuery } from './queries';
import styles from './usage.module.css';

/** The plans with their limits, and what an owner can do about the own one. */
export function PlanCard() {
  const plans = useQuery(plansQuery);
  const subscription = useQuery(subscriptionQuery);
  const isOwner = useMe().data?.role === 'owner';
  const hasPaid = subscription.data !== undefined && subscription.data.status !== 'none';
  return (
    <Card
      title="Plan"
      description="What each plan allows. Owners change the plan."
      actions={isOwner && hasPaid && <GoButton label="Invoices and cancellation" open={() => api.billing.portal({})} />}
    >
      <Loaded query={plans} skeleton={<Skeleton height={160} />}>
        {(all) => (
          <div className={styles.stack}>
            {subscription.data && <State subscription={subscription.data} />}
            {subscription.data && <Agreed subscription={subscription.data} />}
            <ul className={styles.plans}>
              {all.map((plan) => (
                <Plan
                  key={plan.name}
                  plan={plan}
                  isOwn={plan.name === subscription.data?.plan}
                  canBuy={isOwner && plan.available && !hasPaid}
                />
              ))}
            </ul>
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function State({
  subscription: { status, grace_until: grace, ends_at: ends, renews_at: renews, notices },
}: {
  subscription: SubscriptionView;
}) {
  const on = (at: string): string => formatInstant(Date.parse(at));
  return (
    <>
      {status === 'past_due' && <Notice tone="warn">The last payment has failed.</Notice>}
      {grace !== null && <Notice tone="warn">{`The limits of the former plan apply until ${on(grace)}.`}</Notice>}
      {ends !== null && <Notice>{`The subscription ends on ${on(ends)}.`}</Notice>}
      {ends === null && renews !== null && <p className="cell-muted">{`It renews on ${on(renews)}.`}</p>}
      {notices.map(({ id, message }) => (
        <Notice key={id}>{message}</Notice>
      ))}
    </>
  );
}

/** The limits that are agreed for the workspace beside its plan. */
function Agreed({ subscription: { limits, overrides } }: { readonly subscription: SubscriptionView }) {
  const labels = LIMIT_LABELS.flatMap(({ name, label, isSize }) => {
    const found = overrides.find(({ limit }) => limit === name);
    return found === undefined ? [] : [{ ...found, label, isSize }];
  });
  if (labels.length === 0) return null;
  return (
    <section aria-label="Agreed for this workspace">
      <h3>Agreed for this workspace</h3>
      <dl>
        {labels.map(({ limit, label, isSize, plan_value: ofPlan, expires_at: expires }) => (
          <div key={limit} className={styles.row}>
            <dt className="cell-muted">{label}</dt>
            <dd>
              {`${limitText(limits[limit], isSize)} instead of ${limitText(ofPlan, isSize)}`}
              {expires !== null && ` until ${formatInstant(Date.parse(expires))}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Plan({ plan: { name, title, limits }, isOwn, canBuy }: { plan: PlanView; isOwn: boolean; canBuy: boolean }) {
  return (
    <li className={styles.plan}>
      <div className={styles.row}>
        <h3>{title}</h3>
        {isOwn && <Badge tone="ok">Your plan</Badge>}
      </div>
      <dl>
        {LIMIT_LABELS.map(({ name: limit, label, isSize }) => (
          <div key={limit} className={styles.row}>
            <dt className="cell-muted">{label}</dt>
            <dd>{limitText(limits[limit], isSize)}</dd>
          </div>
        ))}
      </dl>
      {canBuy && !isOwn && name !== 'free' && (
        <GoButton label={`Choose ${title}`} open={() => api.billing.checkout({ body: { plan: name } })} />
      )}
    </li>
  );
}

/** Goes to a page of the billing provider. */
function GoButton({ label, open }: { readonly label: string; readonly open: () => Promise<{ readonly url: string }> }) {
  const [busy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    setBusy(true);
    try {
      location.assign((await open()).url);
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <Button edits icon={ExternalIcon} busy={busy} onClick={() => void go()}>
      {label}
    </Button>
  );
}
