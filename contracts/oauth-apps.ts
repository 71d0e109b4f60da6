import { actions } from './contract';
import { pageParams } from '../lib/page';
import * as s from '../lib/schema';

const TokenPathsView = s.object({
  access_token: s.text.optional(),
  refresh_token: s.text.optional(),
  expires_in: s.text.optional(),
  scope: s.text.optional(),
});

export const OAuthAppView = s.named(
  'OAuthAppView',
  s.object({
    id: s.text,
    name: s.text,
    source: s
      .words('workspace', 'operator')
      .about('`operator`: offered to all workspaces, and changed by the operator alone.'),
    preset: s.text.nullable(),
    variables: s.record(s.text),
    connector: s.text.about('What its connections are for: a connector, an OAuth provider, or `oauth`.'),
    client_id: s.text,
    client_secret_set: s.boolean,
    authorize_url: s.text,
    token_url: s.text,
    revoke_url: s.text.nullable(),
    scopes: s.array(s.text),
    auth_style: s.words('basic', 'body', 'none'),
    pkce: s.boolean,
    hosts: s.array(s.text).about('Hosts that `http_request` may send its tokens to.'),
    redirect_uri: s.text.about('To be registered at the provider.'),
    created_by: s.text.nullable(),
    created_at: s.text.nullable(),
    updated_at: s.text.nullable(),
  }),
  'A client at an OAuth provider, without its secret.',
);
export type OAuthAppView = s.Infer<typeof OAuthAppView>;

export const OAuthPresetView = s.named(
  'OAuthPresetView',
  s.object({
    id: s.text,
    title: s.text,
    connector: s.text.nullable().about('The connector or OAuth provider that accepts its connections.'),
    authorize_url: s.text,
    token_url: s.text,
    revoke_url: s.text.nullable(),
    scopes: s.array(s.text),
    auth_style: s.words('basic', 'body'),
    pkce: s.boolean,
    hosts: s.array(s.text),
    variables: s.array(s.object({ name: s.text, title: s.text, example: s.text, default: s.text.nullable() })),
    docs: s.text,
    note: s.text.nullable(),
  }),
  'How a provider implements OAuth 2.0. Texts in braces are variables.',
);
export type OAuthPresetView = s.Infer<typeof OAuthPresetView>;

/** A provider without a preset. */
export interface CustomOAuth {
  authorize_url: string;
  token_url: string;
  revoke_url?: string;
  issuer?: string;
  auth_style?: 'basic' | 'body' | 'none';
  pkce?: boolean;
  scope_separator?: ' ' | ',';
  token_format?: 'form' | 'json';
  authorize_params?: Record<string, string>;
  token_paths?: s.Infer<typeof TokenPathsView>;
  account?: { url: string; id: string; name: string };
}

const url = { type: 'string', min: 1, max: 500 } as const;
const path = { type: 'string', min: 1, max: 300 } as const;
const appName = { type: 'string', trim: true, min: 1, max: 100 } as const;
const secret = { type: 'string', min: 1, max: 4_000, optional: true } as const;
const texts = (items: number, max: number) =>
  ({ type: 'array', items: { type: 'string', min: 1, max }, max: items, optional: true }) as const;
const idParam = { type: 'string', min: 1, max: 200 } as const;
const originParam = { type: 'string', max: 300, optional: true, nullable: true } as const;

const custom = {
  type: 'object',
  optional: true,
  strict: true,
  props: {
    authorize_url: url,
    token_url: url,
    revoke_url: { ...url, optional: true },
    issuer: { ...url, optional: true },
    auth_style: { type: 'enum', values: ['basic', 'body', 'none'], optional: true },
    pkce: { type: 'boolean', optional: true },
    scope_separator: { type: 'enum', values: [' ', ','], optional: true },
    token_format: { type: 'enum', values: ['form', 'json'], optional: true },
    authorize_params: { type: 'record', key: 'string', value: { type: 'string', max: 500 }, optional: true },
    token_paths: {
      type: 'object',
      optional: true,
      strict: true,
      props: {
        access_token: { ...path, optional: true },
        refresh_token: { ...path, optional: true },
        expires_in: { ...path, optional: true },
        scope: { ...path, optional: true },
      },
    },
    account: { type: 'object', optional: true, strict: true, props: { url, id: path, name: path } },
  },
} as const;

/** Clients at OAuth providers, which workspaces register, and the connections made with them. */
export const oauthAppActions = actions({
  presets: {
    rest: 'GET /api/v1/oauth-presets',
    access: 'viewer',
    paged: 'catalogue',
    repeatable: true,
    integrators: true,
    summary: 'Providers whose endpoints are known',
    params: pageParams,
    result: s.listed(OAuthPresetView),
  },
  list_apps: {
    rest: 'GET /api/v1/oauth-apps',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    given: ['origin'],
    summary: 'Registered OAuth apps',
    params: { ...pageParams, origin: originParam },
    result: s.listed(OAuthAppView),
  },
  get_app: {
    rest: 'GET /api/v1/oauth-apps/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    given: ['origin'],
    summary: 'An OAuth app, without its secret',
    params: { id: idParam, origin: originParam },
    result: OAuthAppView,
    errors: ['not_found'],
  },
  create_app: {
    rest: 'POST /api/v1/oauth-apps',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    given: ['origin'],
    summary: 'Registers an OAuth app of a preset, or of any provider',
    description:
      'Registers a client at an OAuth provider: of a `preset`, or with the endpoints in `custom`. The secret is stored encrypted and never returned.',
    params: {
      name: appName,
      preset: { type: 'string', min: 1, max: 60, optional: true },
      variables: { type: 'record', key: 'string', value: { type: 'string', max: 100 }, optional: true },
      custom,
      client_id: { type: 'string', trim: true, min: 1, max: 500 },
      client_secret: secret,
      scopes: texts(100, 300),
      hosts: texts(20, 200),
      origin: originParam,
    },
    result: OAuthAppView,
    errors: ['conflict'],
  },
  update_app: {
    rest: 'PUT /api/v1/oauth-apps/:id',
    access: 'admin',
    integrators: true,
    given: ['origin'],
    summary: 'Changes the name, secret, scopes or hosts of an OAuth app',
    description: 'Changes what the body names. Endpoints do not change: tokens of its connections would go elsewhere.',
    params: {
      id: idParam,
      name: { ...appName, optional: true },
      client_secret: secret,
      scopes: texts(100, 300),
      hosts: texts(20, 200),
      origin: originParam,
    },
    result: OAuthAppView,
    errors: ['not_found', 'conflict'],
  },
  remove_app: {
    rest: 'DELETE /api/v1/oauth-apps/:id',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Deletes an OAuth app that has no connections',
    params: { id: idParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  authorize_app: {
    rest: 'POST /api/v1/oauth-apps/:id/authorize',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    given: ['origin'],
    integrators: true,
    summary: 'Starts connecting an account with an OAuth app; returns an address for a browser, valid once',
    description: 'With `connection`, the account is connected again under the id and name of that connection.',
    params: {
      id: idParam,
      name: { ...appName, optional: true },
      connection: { ...idParam, optional: true },
      scopes: texts(100, 300),
      return_to: { type: 'string', max: 300, pattern: /^(?:\/[\w~-][\w.~-]*)*\/?$/, optional: true },
      origin: originParam,
    },
    result: s.object({ ticket: s.text, authorize_url: s.text, expires_at: s.text }),
    errors: ['not_found', 'conflict'],
  },
});
