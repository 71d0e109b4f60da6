import { AppError, type ErrorDetail } from '../../../lib/errors';
import { isHostPattern, isSecureUrl } from '../../../lib/host-pattern';
import { isPlainUrl } from '../../../lib/plain-url';
import type { CustomOAuth } from '../../../contracts/oauth-apps';
import { scopesProblem } from '../oauth/scopes';
import { presetsById } from './presets';

/** How an app of a preset differs from it. Null: as in the preset. */
export interface PresetDefinition {
  readonly kind: 'preset';
  readonly preset: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly scopes: readonly string[] | null;
  readonly hosts: readonly string[] | null;
  /** Endpoints that replace those of the preset. Only the operator sets them. */
  readonly endpoints: { readonly authorize_url?: string; readonly token_url?: string; readonly revoke_url?: string };
}

interface CustomDefinition extends CustomOAuth {
  readonly kind: 'custom';
  readonly scopes: readonly string[];
  readonly hosts: readonly string[];
}

/** What an app says about its provider, as it is stored. */
export type AppDefinition = PresetDefinition | CustomDefinition;

/** What a request says about the provider. */
interface DefinitionParams {
  readonly preset?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly custom?: CustomOAuth;
  readonly client_secret?: string;
  readonly scopes?: readonly string[];
  readonly hosts?: readonly string[];
}

const MAX_PARAMS = 20;
const PARAM_NAME = /^[a-z][\w-]{0,59}$/i;
/** Parameters of authorization requests that the flow itself sets. */
const RESERVED: ReadonlySet<string> = new Set([
  'response_type',
  'response_mode',
  'client_id',
  'client_secret',
  'redirect_uri',
  'state',
  'scope',
  'code_challenge',
  'code_challenge_method',
]);
const VARIABLE_VALUE = /^[a-z\d](?:[a-z\d.-]{0,98}[a-z\d])?$/i;
const PATH = /^[\w-]{1,60}(?:\.[\w-]{1,60}){0,5}$/;

/** The definition of a request. Pure. @throws AppError invalid_request with all faults */
export function definitionOf(given: DefinitionParams): AppDefinition {
  const { preset, custom, scopes, hosts } = given;
  if ((preset === undefined) === (custom === undefined))
    throw invalid([{ path: 'preset', message: "give either 'preset' or 'custom'" }]);
  const details = [...scopesFaults(scopes), ...hostsFaults(hosts), ...secretFaults(given)];
  if (custom !== undefined) {
    details.push(...customFaults(custom));
    if (details.length > 0) throw invalid(details);
    return { kind: 'custom', ...custom, scopes: [...(scopes ?? [])], hosts: [...(hosts ?? [])] };
  }
  const { variables, faults } = variablesOf(preset ?? '', given.variables ?? {});
  details.push(...faults);
  if (details.length > 0) throw invalid(details);
  return {
    kind: 'preset',
    preset: preset ?? '',
    variables,
    scopes: scopes ?? null,
    hosts: hosts ?? null,
    endpoints: {},
  };
}

/** The definition with other scopes or hosts. @throws AppError invalid_request */
export function changedDefinition(
  definition: AppDefinition,
  { scopes, hosts }: Pick<DefinitionParams, 'scopes' | 'hosts'>,
): AppDefinition {
  const details = [...scopesFaults(scopes), ...hostsFaults(hosts)];
  if (details.length > 0) throw invalid(details);
  return { ...definition, ...(scopes === undefined ? {} : { scopes }), ...(hosts === undefined ? {} : { hosts }) };
}

function variablesOf(
  id: string,
  given: Readonly<Record<string, string>>,
): { variables: Record<string, string>; faults: ErrorDetail[] } {
  const preset = presetsById.get(id);
  if (preset === undefined) {
    const message = 'is unknown; GET /api/v1/oauth-presets lists the presets';
    return { variables: {}, faults: [{ path: 'preset', message }] };
  }
  const known = preset.variables ?? [];
  const faults: ErrorDetail[] = Object.keys(given)
    .filter((name) => !known.some((one) => one.name === name))
    .map((name) => ({ path: `variables.${name.slice(0, 60)}`, message: 'is no variable of this preset' }));
  const variables: [string, string][] = [];
  for (const { name, title, default: absent } of known) {
    const value = (Object.hasOwn(given, name) ? given[name] : undefined) || absent;
    if (value === undefined) faults.push({ path: `variables.${name}`, message: `is required: ${title}` });
    else if (!VARIABLE_VALUE.test(value))
      faults.push({ path: `variables.${name}`, message: 'must have letters, digits, dots and hyphens alone' });
    else variables.push([name, value.toLowerCase()]);
  }
  return { variables: Object.fromEntries(variables), faults };
}

function customFaults(custom: CustomOAuth): ErrorDetail[] {
  const { authorize_url, token_url, revoke_url, issuer, account, auth_style, pkce, authorize_params, token_paths } =
    custom;
  const faults: ErrorDetail[] = [];
  const check = (path: string, isRight: boolean, message: string): void => {
    if (!isRight) faults.push({ path: `custom.${path}`, message });
  };
  const urls = { authorize_url, token_url, revoke_url, issuer };
  for (const [path, url] of Object.entries(urls))
    check(path, url === undefined || (isPlainUrl(url) && isSecureUrl(url)), 'must be an https URL without a query');
  check('pkce', auth_style !== 'none' || pkce !== false, 'must be true for an app without a client secret');
  const params = Object.keys(authorize_params ?? {});
  check('authorize_params', params.length <= MAX_PARAMS, `must have at most ${MAX_PARAMS} members`);
  for (const name of params)
    check(
      `authorize_params.${name.slice(0, 60)}`,
      PARAM_NAME.test(name) && !RESERVED.has(name.toLowerCase()),
      'must begin with a letter, have letters, digits, - and _ alone, and be no parameter that the flow sets',
    );
  for (const [name, path] of Object.entries(token_paths ?? {}))
    check(`token_paths.${name}`, PATH.test(path), 'must be a path such as data.access_token');
  if (account !== undefined) {
    check('account.url', isSecureUrl(account.url) && URL.canParse(account.url), 'must be an https URL');
    check('account.id', PATH.test(account.id), 'must be a path such as data.id');
    check('account.name', PATH.test(account.name), 'must be a path such as data.email');
  }
  return faults;
}

/** A client without a secret is a public one, which needs PKCE. */
function secretFaults({ preset, custom, client_secret }: DefinitionParams): ErrorDetail[] {
  const isPublic = client_secret === undefined;
  const fault = (message: string): ErrorDetail[] => [{ path: 'client_secret', message }];
  if (custom !== undefined) {
    const style = custom.auth_style ?? 'basic';
    if (style === 'none') return isPublic ? [] : fault('must be left out where custom.auth_style is none');
    return isPublic ? fault('is required, unless custom.auth_style is none') : [];
  }
  const { pkce = true } = presetsById.get(preset ?? '') ?? {};
  return isPublic && !pkce ? fault('is required: the provider supports no public clients') : [];
}

const scopesFaults = (scopes: readonly string[] | undefined): ErrorDetail[] => {
  const problem = scopes === undefined ? null : scopesProblem(scopes);
  return problem === null ? [] : [{ path: 'scopes', message: problem }];
};

const hostsFaults = (hosts: readonly string[] | undefined): ErrorDetail[] =>
  (hosts ?? []).every(isHostPattern)
    ? []
    : [{ path: 'hosts', message: 'must be hosts such as api.example.com or *.example.com' }];

const invalid = (details: ErrorDetail[]): AppError => {
  const words = details.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new AppError('invalid_request', `Invalid OAuth app: ${words}`, { details });
};
