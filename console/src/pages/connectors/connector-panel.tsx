import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type ConnectorView } from '../../api/client';
import { connectionKinds } from '../../model/connectors';
import {
  AnchorButton,
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorState,
  KeyValues,
  LinkButton,
  SearchInput,
  SidePanel,
  SkeletonRows,
  toast,
} from '../../ui';
import { ConnectorIcon, DeleteIcon, ExternalIcon, KeyIcon } from '../../ui/icon';
import { ActionItem } from './action-item';
import { ConnectForm } from './connect-form';
import styles from './connectors.module.css';
import { presetsQuery } from '../connections/queries';
import { connectorQuery, connectorsQuery } from './queries';

/** Below this number the actions need no search. */
const MIN_SEARCHED_ACTIONS = 8;

interface ConnectorPanelProps {
  readonly name: string;
  readonly isAdmin: boolean;
  /** Whether the form for credentials is open. */
  readonly isConnecting: boolean;
  readonly onConnect: () => void;
  readonly onClose: () => void;
}

/** A connector: how an account is connected, and its actions with what they take and answer. */
export function ConnectorPanel({ name, isAdmin, isConnecting, onConnect, onClose }: ConnectorPanelProps) {
  const connector = useQuery({ ...connectorQuery(name), retry: false });
  const { data } = connector;
  return (
    <SidePanel
      title={data?.title ?? name}
      aside={data?.custom === true && <Badge>{`Imported, version ${data.revision ?? 1}`}</Badge>}
      onClose={onClose}
    >
      {data === undefined ? (
        connector.isPending ? (
          <SkeletonRows rows={6} label="Loading the connector" />
        ) : (
          <ErrorState error={connector.error} onRetry={() => void connector.refetch()} />
        )
      ) : isConnecting ? (
        <ConnectForm connector={data} onClose={onClose} />
      ) : (
        <Details connector={data} isAdmin={isAdmin} onConnect={onConnect} onClose={onClose} />
      )}
    </SidePanel>
  );
}

interface DetailsProps {
  readonly connector: ConnectorView;
  readonly isAdmin: boolean;
  readonly onConnect: () => void;
  readonly onClose: () => void;
}

function Details({ connector, isAdmin, onConnect, onClose }: DetailsProps) {
  const { name, description, category, docs, auth, custom } = connector;
  const hasApp = useQuery(presetsQuery).data?.some((preset) => preset.connector === name) ?? false;
  const hasOAuth = auth.oauth !== null || hasApp;
  return (
    <>
      <p>{description}</p>
      <div className={styles.actions}>
        {hasOAuth && (
          <LinkButton edits kind="primary" icon={ConnectorIcon} to="/connections" search={{ connect: name }}>
            Connect an account
          </LinkButton>
        )}
        {auth.fields.length > 0 && (
          <Button edits icon={KeyIcon} kind={hasOAuth ? 'secondary' : 'primary'} onClick={onConnect}>
            Enter credentials
          </Button>
        )}
        {docs.startsWith('http') && (
          <AnchorButton icon={ExternalIcon} href={docs} target="_blank" rel="noreferrer">
            Its documentation
          </AnchorButton>
        )}
        {custom && isAdmin && <Removal name={name} onRemoved={onClose} />}
      </div>
      <KeyValues
        rows={[
          ['In steps', <code key="name">{name}</code>],
          ['Category', category],
          ['Account', connectionKinds(auth, hasApp)],
          ['Scopes', auth.oauth === null || auth.oauth.scopes.length === 0 ? null : auth.oauth.scopes.join(', ')],
        ]}
      />
      <Actions connector={connector} />
    </>
  );
}

function Actions({ connector: { actions } }: { readonly connector: ConnectorView }) {
  const [search, setSearch] = useState('');
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = actions.filter(({ name, title, description }) =>
    words.every((word) => `${name} ${title} ${description}`.toLowerCase().includes(word)),
  );
  return (
    <section className={styles.stack}>
      <h3>{`Actions (${actions.length})`}</h3>
      {actions.length >= MIN_SEARCHED_ACTIONS && (
        <SearchInput
          label="Search actions"
          value={search}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
        />
      )}
      {shown.length === 0 ? (
        <EmptyState icon={ConnectorIcon} title="No action matches" />
      ) : (
        <ul className={styles.list}>
          {shown.map((action) => (
            <ActionItem key={action.name} action={action} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Removal({ name, onRemoved }: { readonly name: string; readonly onRemoved: () => void }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button icon={DeleteIcon} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {asked && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the connector"
          danger
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await api.connectors.remove({ name });
            toast('The connector is deleted');
            onRemoved();
            await client.invalidateQueries({ queryKey: connectorsQuery.queryKey });
          }}
        >
          Steps that use one of its actions fail from then on.
        </ConfirmDialog>
      )}
    </>
  );
}
