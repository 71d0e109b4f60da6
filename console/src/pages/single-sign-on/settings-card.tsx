import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type SsoConfigView } from '../../api/client';
import {
  Badge,
  Button,
  Card,
  Checkbox,
  ConfirmDialog,
  Field,
  Form,
  type FormValues,
  Notice,
  Select,
  Textarea,
  TextField,
  toast,
} from '../../ui';
import { type Mapping, MappingFields, toMappings, toValues } from './mapping-fields';
import styles from './single-sign-on.module.css';

type Provider = SsoConfigView['provider'];

const PROVIDERS = [
  { value: 'oidc', label: 'OpenID Connect' },
  { value: 'saml', label: 'SAML 2.0' },
];
const DEFAULT_ROLES = [
  { value: 'viewer', label: 'viewer' },
  { value: 'member', label: 'member' },
  { value: 'admin', label: 'admin' },
  { value: '', label: 'none: they may not sign in' },
];
const DEFAULT_CLAIM = 'groups';

type MappableRole = Exclude<SsoConfigView['default_role'], null>;

/** The provider, who may sign in by it, and with which role. */
export function SettingsCard({ config }: { readonly config: SsoConfigView | null }) {
  const client = useQueryClient();
  const [provider, setProvider] = useState<Provider>(config?.provider ?? 'oidc');
  const [mappings, setMappings] = useState<readonly Mapping[]>(toMappings(config?.role_mapping?.values ?? {}));
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  const [removing, setRemoving] = useState(false);
  const reload = () => client.invalidateQueries({ queryKey: ['single-sign-on', 'settings'] });

  const save = async (given: FormValues): Promise<void> => {
    const values = toValues(mappings);
    const saved = await api.auth.update_sso({
      body: {
        provider,
        enabled: given.enabled === 'on',
        enforce: given.enforce === 'on',
        enforce_domains: domainsOf(given),
        ...(provider === 'oidc' ? { oidc: oidcOf(given) } : { saml: samlOf(given) }),
        default_role: given.default_role === '' ? null : (given.default_role as MappableRole),
        role_mapping: Object.keys(values).length === 0 ? null : { claim: given.claim || DEFAULT_CLAIM, values },
      },
    });
    setWarnings(saved.warnings.map(({ message }) => message));
    toast('The settings are saved');
    await reload();
  };
  return (
    <Card
      title={
        <span className={styles.inline}>
          2. In this workspace
          {config !== null && <Badge tone={config.enabled ? 'ok' : 'neutral'}>{config.enabled ? 'On' : 'Off'}</Badge>}
        </span>
      }
      description="What the identity provider shows of the application. Owners can always sign in with their passwords, so that they can repair the settings."
    >
      <Form label="Single sign-on" onSubmit={save}>
        {({ busy }) => (
          <>
            {warnings.map((warning) => (
              <Notice key={warning} tone="warn">
                Saved, but people cannot sign in yet: {warning}
              </Notice>
            ))}
            <Field label="Protocol">
              <Select
                options={PROVIDERS}
                value={provider}
                onChange={({ currentTarget: { value } }) => setProvider(value as Provider)}
              />
            </Field>
            {provider === 'oidc' ? <OidcFields config={config} /> : <SamlFields config={config} />}
            <MappingFields
              claim={config?.role_mapping?.claim ?? DEFAULT_CLAIM}
              mappings={mappings}
              onChange={setMappings}
            />
            <Field label="Role of everybody else" hint="For users in none of these groups.">
              <Select
                name="default_role"
                options={DEFAULT_ROLES}
                defaultValue={config === null ? 'member' : (config.default_role ?? '')}
              />
            </Field>
            <Checkbox name="enabled" defaultChecked={config?.enabled ?? false} label="Members may sign in by it" />
            <Checkbox
              name="enforce"
              defaultChecked={config?.enforce ?? false}
              label="Members other than owners sign in by it alone: passwords are refused, and their sessions end now"
            />
            <Field
              label="Required domains"
              optional
              hint="Members with addresses in these domains sign in by it alone, also where others need not. One domain a line; sub-domains are listed on their own."
            >
              <Textarea
                name="enforce_domains"
                code
                rows={3}
                defaultValue={config?.enforce_domains.join('\n')}
                placeholder="example.com"
              />
            </Field>
            <div className={styles.actions}>
              <Button type="submit" kind="primary" busy={busy}>
                Save
              </Button>
              {config !== null && <Button onClick={() => setRemoving(true)}>Remove</Button>}
            </div>
          </>
        )}
      </Form>
      {removing && (
        <ConfirmDialog
          title="Remove single sign-on?"
          action="Remove single sign-on"
          danger
          onConfirm={async () => {
            await api.auth.remove_sso();
            toast('Single sign-on is removed');
            await reload();
          }}
          onClose={() => setRemoving(false)}
        >
          Members who have no password can no longer sign in.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function OidcFields({ config }: { readonly config: SsoConfigView | null }) {
  const known = config?.oidc ?? null;
  return (
    <>
      <TextField
        name="issuer"
        type="url"
        label="Issuer"
        defaultValue={known?.issuer}
        placeholder="https://login.example.com"
        hint="The address before /.well-known/openid-configuration."
      />
      <TextField name="client_id" label="Client id" defaultValue={known?.client_id} />
      <TextField
        name="client_secret"
        type="password"
        label="Client secret"
        optional
        autoComplete="off"
        hint={
          known?.client_secret_set === true
            ? 'Left empty, the stored one stays.'
            : 'Left empty for a public client, which uses only PKCE.'
        }
      />
    </>
  );
}

function SamlFields({ config }: { readonly config: SsoConfigView | null }) {
  const known = config?.saml ?? null;
  return (
    <>
      <TextField
        name="entry_point"
        type="url"
        label="Sign-on URL"
        defaultValue={known?.entry_point}
        placeholder="https://idp.example.com/sso"
      />
      <TextField name="saml_issuer" label="Entity id of the provider" defaultValue={known?.issuer} />
      <Field label="Signing certificate" hint="PEM; several one after the other while keys are being changed.">
        <Textarea name="certificate" code rows={5} required defaultValue={known?.certificate} />
      </Field>
    </>
  );
}

const oidcOf = ({ issuer = '', client_id = '', client_secret = '' }: FormValues) => ({
  issuer,
  client_id,
  ...(client_secret === '' ? {} : { client_secret }),
});

const domainsOf = ({ enforce_domains = '' }: FormValues) =>
  enforce_domains.split(/[\s,;]+/).filter((domain) => domain !== '');

const samlOf = ({ entry_point = '', saml_issuer = '', certificate = '' }: FormValues) => ({
  entry_point,
  issuer: saml_issuer,
  certificate,
});
