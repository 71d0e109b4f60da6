import { useState } from 'react';
import { api, type OperatorTenantView } from '../../api/client';
import { queryClient } from '../../app/queries';
import { Button, Dialog, Form, FormFooter, Notice, RelativeTime, TextField, toast } from '../../ui';
import styles from './system.module.css';

/** Suspends a tenant or reopens it, with a reason. */
export function Suspension({ tenant: { id, slug, suspended } }: { readonly tenant: OperatorTenantView }) {
  const [isAsked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  const action = suspended === null ? 'Suspend the tenant' : 'Reopen the tenant';
  const change = async (reason: string): Promise<void> => {
    await (suspended === null ? api.auth.operator_suspend : api.auth.operator_reopen)({ id, body: { reason } });
    toast(suspended === null ? 'The tenant is suspended' : 'The tenant is open again');
    close();
    await queryClient.invalidateQueries({ queryKey: ['system'] });
    await queryClient.invalidateQueries({ queryKey: ['me'] });
  };
  return (
    <section className={styles.stack} aria-label="Suspension">
      <h3>Suspension</h3>
      {suspended === null ? (
        <p>No run starts or goes on in a suspended tenant, and its members only read.</p>
      ) : (
        <Notice tone="warn">
          Suspended since <RelativeTime at={suspended.since} />: {suspended.reason}
        </Notice>
      )}
      <div>
        <Button kind={suspended === null ? 'danger' : 'primary'} onClick={() => setAsked(true)}>
          {action}
        </Button>
      </div>
      {isAsked && (
        <Dialog title={`${suspended === null ? 'Suspend' : 'Reopen'} ${slug}?`} onClose={close}>
          <Form label={action} onSubmit={({ reason = '' }) => change(reason)}>
            {({ busy }) => (
              <>
                <p className="dialog-text">
                  {suspended === null
                    ? 'Webhooks, schedules and sources start nothing within seconds. Steps in flight finish, then their runs wait. Nothing is removed.'
                    : 'Runs that wait go on, and new ones start. Starts that were refused are not made up for.'}
                </p>
                <TextField name="reason" label="Reason" hint="The members of the tenant read it, too." />
                <FormFooter action={action} busy={busy} onClose={close} />
              </>
            )}
          </Form>
        </Dialog>
      )}
    </section>
  );
}
