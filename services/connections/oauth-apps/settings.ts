import type { OAuthProviderConfig } from '../../../lib/oauth-config';
import { ruleOf } from '../../../lib/egress/rules';
import type { AppDefinition, PresetDefinition } from './definition';
import { type AccountLookup, fill, type Preset, type TokenPaths } from './preset';
import { presetsById } from './presets';

/** The connector of connections whose provider has no preset. `http_request` accepts it, and all others that have an app. */
export const ANY_OAUTH = 'oauth';

/** What an app does at its provider: its definition with the preset's values. */
export interface AppSettings {
  readonly preset: Preset | null;
  readonly variables: Readonly<Record<string, string>>;
  /** What connections are for: a connector, or an OAuth provider of connectors. */
  readonly connector: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly revokeUrl: string | null;
  readonly issuer: string | null;
  readonly scopes: readonly string[];
  readonly separator: ' ' | ',';
  readonly auth: 'basic' | 'body' | 'none';
  readonly format: 'form' | 'json';
  readonly pkce: boolean;
  readonly params: Readonly<Record<string, string>>;
  readonly paths: TokenPaths;
  readonly account: AccountLookup | null;
  readonly hosts: readonly string[];
}

/** The settings of an app. `isPublic`: it has no client secret. Null for a preset that does not exist any more. Pure. */
export function settingsOf(definition: AppDefinition, isPublic: boolean): AppSettings | null {
  if (definition.kind === 'custom') return customSettings(definition);
  const preset = presetsById.get(definition.preset);
  if (preset === undefined) return null;
  const { variables, scopes, hosts } = definition;
  return {
    preset,
    variables,
    connector: preset.connector ?? preset.id,
    ...endpointsOf(preset, definition),
    scopes: scopes ?? preset.scopes,
    separator: preset.separator ?? ' ',
    auth: isPublic ? 'none' : (preset.auth ?? 'body'),
    format: preset.format ?? 'form',
    pkce: preset.pkce,
    params: preset.params ?? {},
    paths: preset.paths ?? {},
    hosts: hosts ?? preset.hosts.map((host) => fill(host, variables)),
  };
}

type Endpoints = Pick<AppSettings, 'authorizeUrl' | 'tokenUrl' | 'revokeUrl' | 'issuer' | 'account'>;

function endpointsOf(preset: Preset, { variables, endpoints }: PresetDefinition): Endpoints {
  const filled = (text: string): string => fill(text, variables);
  const authorizeUrl = endpoints.authorize_url ?? filled(preset.authorize);
  const tokenUrl = endpoints.token_url ?? filled(preset.token);
  // Tokens of another server than the provider's do not go to the provider.
  if (Object.keys(endpoints).length > 0)
    return { authorizeUrl, tokenUrl, revokeUrl: endpoints.revoke_url ?? null, issuer: null, account: null };
  return {
    authorizeUrl,
    tokenUrl,
    revokeUrl: preset.revoke === undefined ? null : filled(preset.revoke),
    issuer: preset.issuer ?? null,
    account: preset.account === undefined ? null : { ...preset.account, url: filled(preset.account.url) },
  };
}

const customSettings = (custom: Extract<AppDefinition, { kind: 'custom' }>): AppSettings => ({
  preset: null,
  variables: {},
  connector: ANY_OAUTH,
  authorizeUrl: custom.authorize_url,
  tokenUrl: custom.token_url,
  revokeUrl: custom.revoke_url ?? null,
  issuer: custom.issuer ?? null,
  scopes: custom.scopes,
  separator: custom.scope_separator ?? ' ',
  auth: custom.auth_style ?? 'basic',
  format: custom.token_format ?? 'form',
  pkce: custom.pkce ?? true,
  params: custom.authorize_params ?? {},
  paths: custom.token_paths ?? {},
  account: custom.account ?? null,
  hosts: custom.hosts,
});

/** The endpoints and client of an app, as the OAuth client takes them. */
export const configOf = (
  { authorizeUrl, tokenUrl, revokeUrl, issuer }: AppSettings,
  client: { readonly id: string; readonly secret: string },
): OAuthProviderConfig => ({
  client,
  missing: [],
  authorizeUrl,
  tokenUrl,
  revokeUrl,
  issuer,
  discovers: false,
  rules: [authorizeUrl, tokenUrl, ...(revokeUrl === null ? [] : [revokeUrl])].map(ruleOf),
});

/** The credentials of a connection as steps get them: those of its tokens, and those that its connector names otherwise. Pure. */
export function credentialsForSteps(
  { preset, variables }: Pick<AppSettings, 'preset' | 'variables'>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const values = { ...stored, ...variables };
  const named = Object.entries(preset?.credentials ?? {}).map(([name, text]): [string, string] => [
    name,
    fill(text, values),
  ]);
  return { ...stored, ...Object.fromEntries(named) };
}
