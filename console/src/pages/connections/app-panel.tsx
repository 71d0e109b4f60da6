import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type OAuthAppView } from '../../api/client';
import { providerOf } from '../../model/connections';
import {
  Badge,
  Button,
  ConfirmDialog,
  CopyText,
  Dialog,
  EmptyState,
  Form,
  FormFooter,
  KeyValues,
  Loaded,
  SidePanel,
  TextField,
  toast,
} from '../../ui';
import { ConnectorIcon, DeleteIcon, KeyIcon } from '../../ui/icon';
import { beginWithApp } from './begin';
import styles from './connections.module.css';
import { appsQuery, presetsQuery } from './queries';

/** One OAuth app: its redirect address, its endpoints, and an account to connect with it. */
export function AppPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const apps = useQuery(appsQuery);
  const app = apps.data?.find((one) => one.id === id);
  return (
    <SidePanel
      title={app?.name ?? 'OAuth app'}
      aside={app?.source === 'operator' && <Badge>Operator</Badge>}
      onClose={onClose}
    >
      <Loaded query={apps}>
        {() =>
          app === undefined ? (
            <EmptyState icon={KeyIcon} title="No such app">
              It was deleted.
            </EmptyState>
          ) : (
            <Details app={app} onClose={onClose} />
          )
        }
      </Loaded>
    </SidePanel>
  );
}

function Details({ app, onClose }: { readonly app: OAuthAppView; readonly onClose: () => void }) {
  const presets = useQuery(presetsQuery);
  return (
    <>
      <Actions app={app} onClose={onClose} />
      <section className={styles.preparation}>
        <h3 className={styles.heading}>Redirect address, to be registered at the provider</h3>
        <CopyText text={app.redirect_uri} />
      </section>
      <KeyValues
        rows={[
          ['Provider', providerOf(app, presets.data ?? [])],
          ['Client id', <code key="id">{app.client_id}</code>],
          ['Client secret', app.client_secret_set ? 'Set' : 'Public client'],
          ['Authorization', <code key="a">{app.authorize_url}</code>],
          ['Token', <code key="t">{app.token_url}</code>],
          ['Revocation', app.revoke_url && <code key="r">{app.revoke_url}</code>],
          ['Proof key', app.pkce ? 'S256' : 'Not supported'],
          ['Scopes', app.scopes.length === 0 ? 'None' : app.scopes.join(', ')],
          ['Hosts', app.hosts.length === 0 ? 'None' : app.hosts.join(', ')],
        ]}
      />
    </>
  );
}

function Actions({ app, onClose }: { readonly app: OAuthAppView; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'secret' | 'delete' | null>(null);
  const reload = () => client.invalidateQueries({ queryKey: appsQuery.queryKey });
  const close = (): void => setDialog(null);
  return (
    <div className={styles.actions}>
      <Button edits kind="primary" icon={ConnectorIcon} onClick={() => void beginWithApp(app.id)}>
        Connect an account
      </Button>
      {app.source === 'workspace' && (
        <>
          {app.client_secret_set && (
            <Button icon={KeyIcon} onClick={() => setDialog('secret')}>
              Change the secret
            </Button>
          )}
          <Button icon={DeleteIcon} onClick={() => setDialog('delete')}>
            Delete
          </Button>
        </>
      )}
      {dialog === 'secret' && (
        <Dialog title="Change the client secret" onClose={close}>
          <Form
            label="Change the client secret"
            onSubmit={async ({ client_secret = '' }) => {
              await api.connections.update_app({ id: app.id, body: { client_secret } });
              toast('The secret is changed');
              close();
              await reload();
            }}
          >
            {({ busy }) => (
              <>
                <TextField name="client_secret" label="New client secret" type="password" autoFocus />
                <FormFooter action="Change" busy={busy} onClose={close} />
              </>
            )}
          </Form>
        </Dialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={`Delete ${app.name}?`}
          action="Delete the app"
          danger
          onClose={close}
          onConfirm={async () => {
            await api.connections.remove_app({ id: app.id });
            toast('The app is deleted');
            onClose();
            await reload();
          }}
        >
          No more accounts can be connected with it. An app that has connections is not deleted.
        </ConfirmDialog>
      )}
    </div>
  );
}
