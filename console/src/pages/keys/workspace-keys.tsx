import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type ApiKeyView } from '../../api/client';
import { useMe } from '../../app/queries';
import { isFuture } from '../../model/is-future';
import { Badge, Field, RelativeTime, Select } from '../../ui';
import { KeyList } from './key-list';
import { apiKeysQuery, serviceAccountsQuery } from './queries';

type Scope = ApiKeyView['scope'];

const SCOPES: readonly { readonly value: Scope; readonly label: string; readonly allows: string }[] = [
  { value: 'read', label: 'Read', allows: 'Sees what a viewer sees.' },
  { value: 'run', label: 'Read and run', allows: 'Also starts, cancels, retries and signals runs.' },
  { value: 'edit', label: 'Read, run and edit', allows: 'Also does what members may.' },
  { value: 'admin', label: 'All', allows: 'All that the role of its user allows, keys and members included.' },
];

const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: '', label: 'Never' },
];

const expiryIn = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

/** Keys of the user; for admins those of all members and service accounts. */
export function WorkspaceKeys() {
  const client = useQueryClient();
  const keys = useQuery(apiKeysQuery);
  const me = useMe().data;
  const isAdmin = me?.role === 'owner' || me?.role === 'admin';
  return (
    <KeyList
      title="Keys of the workspace"
      description={isAdmin ? 'Those of all members and service accounts.' : 'Such a key calls the API with your role.'}
      query={keys}
      empty="A key lets a program call the API as you."
      fields={<Fields isAdmin={isAdmin} />}
      badges={(key) => (
        <>
          <Badge>{SCOPES.find(({ value }) => value === key.scope)?.label ?? key.scope}</Badge>
          {isExpired(key) && <Badge tone="warn">Expired</Badge>}
        </>
      )}
      details={(key) => (
        <>
          {isAdmin && key.user_id !== me?.id && ` · of ${key.user}`}
          {key.expires_at !== null && (
            <>
              {isExpired(key) ? ' · expired ' : ' · expires '}
              <RelativeTime at={key.expires_at} />
            </>
          )}
          {isFuture(key.previous_valid_until) && (
            <>
              {' · the value of before ends '}
              <RelativeTime at={key.previous_valid_until} />
            </>
          )}
        </>
      )}
      create={({ name = '', scope, days = '', owner = '' }) =>
        api.auth.create_api_key({
          body: {
            name,
            scope: scope as Scope,
            expires_at: expiryIn(days),
            ...(owner === '' ? {} : { service_account_id: owner }),
          },
        })
      }
      rotate={(id, overlap_seconds) => api.auth.rotate_api_key({ id, body: { overlap_seconds } })}
      revoke={(id) => api.auth.revoke_api_key({ id })}
      onChanged={() => client.invalidateQueries({ queryKey: apiKeysQuery.queryKey })}
    />
  );
}

const isExpired = ({ expires_at }: ApiKeyView): boolean => expires_at !== null && !isFuture(expires_at);

function Fields({ isAdmin }: { readonly isAdmin: boolean }) {
  const [scope, setScope] = useState<Scope>('run');
  const accounts = useQuery({ ...serviceAccountsQuery, enabled: isAdmin }).data ?? [];
  return (
    <>
      <Field label="It may" hint={SCOPES.find(({ value }) => value === scope)?.allows}>
        <Select
          name="scope"
          options={SCOPES}
          value={scope}
          onChange={({ currentTarget: { value } }) => setScope(value as Scope)}
        />
      </Field>
      <Field label="Expires">
        <Select name="days" options={LIFETIMES} defaultValue="90" />
      </Field>
      {accounts.length > 0 && (
        <Field label="Belongs to" hint="A key of a service account stays when the person who made it leaves.">
          <Select
            name="owner"
            options={[{ value: '', label: 'Me' }, ...accounts.map(({ id, email }) => ({ value: id, label: email }))]}
          />
        </Field>
      )}
    </>
  );
}
