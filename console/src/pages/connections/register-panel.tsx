import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type OAuthPresetView } from '../../api/client';
import { namesIn } from '../../model/connections';
import {
  AnchorButton,
  Button,
  Checkbox,
  CopyText,
  EmptyState,
  Field,
  Form,
  type FormValues,
  Loaded,
  Notice,
  Select,
  SidePanel,
  Textarea,
  TextField,
  toast,
} from '../../ui';
import { ConnectorIcon, ExternalIcon } from '../../ui/icon';
import styles from './connections.module.css';
import { appsQuery, presetsQuery } from './queries';

const CALLBACK = '/api/v1/oauth/callback';

interface RegisterProps {
  /** The id of a preset, or `other`. */
  readonly preset: string;
  readonly onClose: () => void;
  readonly onRegistered: (id: string) => void;
}

/** Registers an OAuth app, with the redirect address to copy. */
export function RegisterPanel({ preset: id, onClose, onRegistered }: RegisterProps) {
  const presets = useQuery(presetsQuery);
  const apps = useQuery(appsQuery);
  const preset = presets.data?.find((one) => one.id === id) ?? null;
  return (
    <SidePanel title={preset === null ? 'Another provider' : `Register ${preset.title}`} onClose={onClose}>
      <Loaded query={presets}>
        {() =>
          preset === null && id !== 'other' ? (
            <EmptyState icon={ConnectorIcon} title="No such provider">
              Choose one of the list.
            </EmptyState>
          ) : (
            <>
              <Preparation preset={preset} redirect={apps.data?.[0]?.redirect_uri ?? `${location.origin}${CALLBACK}`} />
              <RegisterForm preset={preset} onRegistered={onRegistered} />
            </>
          )
        }
      </Loaded>
    </SidePanel>
  );
}

function Preparation({ preset, redirect }: { readonly preset: OAuthPresetView | null; readonly redirect: string }) {
  return (
    <section className={styles.preparation}>
      <p>
        Create a client {preset === null ? 'at the provider' : `at ${preset.title}`} with this redirect address, then
        enter what it gives you.
      </p>
      <CopyText text={redirect} />
      {preset !== null && preset.note !== null && <Notice>{preset.note}</Notice>}
      {preset !== null && (
        <div>
          <AnchorButton size="small" icon={ExternalIcon} href={preset.docs} target="_blank" rel="noreferrer">
            The provider&rsquo;s instructions
          </AnchorButton>
        </div>
      )}
    </section>
  );
}

function RegisterForm({
  preset,
  onRegistered,
}: { readonly preset: OAuthPresetView | null } & Pick<RegisterProps, 'onRegistered'>) {
  const client = useQueryClient();
  const submit = async (values: FormValues): Promise<void> => {
    const app = await api.connections.create_app({ body: bodyOf(preset, values) });
    toast(`${app.name} is registered`);
    await client.invalidateQueries({ queryKey: appsQuery.queryKey });
    onRegistered(app.id);
  };
  return (
    <Form label="Register an OAuth app" onSubmit={submit}>
      {({ busy }) => (
        <>
          <TextField name="name" label="Name" defaultValue={preset?.title.replace(/ \(.*/, '') ?? ''} />
          {preset?.variables.map(({ name, title, example, default: absent }) => (
            <TextField key={name} name={name} label={title} placeholder={example} defaultValue={absent ?? ''} />
          ))}
          <TextField name="client_id" label="Client id" />
          {preset === null ? <Endpoints /> : <Secret optional={preset.pkce} />}
          <Field label="Scopes" hint="One per line." optional>
            <Textarea
              name="scopes"
              code
              rows={preset === null ? 3 : Math.min(8, Math.max(2, preset.scopes.length))}
              defaultValue={preset?.scopes.join('\n') ?? ''}
            />
          </Field>
          <TextField
            name="hosts"
            label="Hosts"
            optional
            hint="Where HTTP requests may send the token, such as api.example.com or *.example.com."
            defaultValue={preset?.hosts.join(', ') ?? ''}
            readOnly={preset?.hosts.some((host) => host.includes('{')) ?? false}
          />
          <div>
            <Button kind="primary" type="submit" busy={busy}>
              Register the app
            </Button>
          </div>
        </>
      )}
    </Form>
  );
}

const Secret = ({ optional }: { readonly optional: boolean }) => (
  <TextField
    name="client_secret"
    label="Client secret"
    type="password"
    optional={optional}
    hint={optional ? 'Leave it empty for a public client.' : 'Stored encrypted, and never shown again.'}
  />
);

const STYLES = [
  { value: 'basic', label: 'In a header (Basic)' },
  { value: 'body', label: 'In the body' },
  { value: 'none', label: 'Public client without a secret' },
];

function Endpoints() {
  const [style, setStyle] = useState('basic');
  return (
    <>
      <TextField
        name="authorize_url"
        label="Authorization endpoint"
        type="url"
        placeholder="https://id.example.com/authorize"
      />
      <TextField name="token_url" label="Token endpoint" type="url" placeholder="https://id.example.com/token" />
      <TextField name="revoke_url" label="Revocation endpoint" type="url" optional />
      <Field label="Client authentication">
        <Select
          name="auth_style"
          options={STYLES}
          value={style}
          onChange={({ currentTarget: { value } }) => setStyle(value)}
        />
      </Field>
      {style !== 'none' && <Secret optional={false} />}
      <Checkbox name="pkce" label="Proof key (PKCE with S256)" defaultChecked disabled={style === 'none'} />
    </>
  );
}

/** The request for the values of the form. */
function bodyOf(preset: OAuthPresetView | null, values: FormValues) {
  const { name = '', client_id = '', client_secret = '', scopes = '', hosts = '' } = values;
  const common = {
    name,
    client_id,
    ...(client_secret === '' ? {} : { client_secret }),
    ...(namesIn(scopes).join() === preset?.scopes.join() ? {} : { scopes: namesIn(scopes) }),
    ...(namesIn(hosts).join() === preset?.hosts.join() ? {} : { hosts: namesIn(hosts) }),
  };
  if (preset === null) {
    const { authorize_url = '', token_url = '', revoke_url = '', auth_style = 'basic' } = values;
    const isPublic = auth_style === 'none';
    return {
      ...common,
      custom: {
        authorize_url,
        token_url,
        auth_style: auth_style as 'basic' | 'body' | 'none',
        pkce: isPublic || values.pkce !== undefined,
        ...(revoke_url === '' ? {} : { revoke_url }),
      },
    };
  }
  const variables = preset.variables.map(({ name: key }) => [key, values[key] ?? '']);
  return {
    ...common,
    preset: preset.id,
    ...(variables.length === 0 ? {} : { variables: Object.fromEntries(variables) }),
  };
}
