import { BrowserStep, type BrowserVisit } from './auth/sso';
import { contract } from './contract';
import { oauthAppActions } from './oauth-apps';
import { forceParam, refsParams, typed } from './rules';
import { OAUTH_PROVIDERS } from '../lib/oauth-config';
import { pageParams } from '../lib/page';
import * as s from '../lib/schema';
import type { ConnectionQuota } from '../nodes/contract';
import { UsedBy } from './used-by';

/** A connection's credentials for a step, or why there are none. */
export type CredentialsResult =
  | {
      kind: 'ready';
      /** `plain`: names of credentials that are no secrets. `hosts`: those that an access token may be sent to. */
      connection: {
        id: string;
        connector: string;
        credentials: Record<string, string>;
        plain?: string[];
        hosts?: string[];
      };
      /** Absent: steps use it without waiting. */
      quota?: ConnectionQuota;
    }
  | { kind: 'refused'; error: { code: string; message: string } };

/** Limits of the steps that use a connection. */
export const ConnectionLimitsView = s.named(
  'ConnectionLimits',
  s.object({
    rate: s
      .object({ limit: s.number, period_seconds: s.number })
      .nullable()
      .about('At most `limit` steps begin to use it in any period of this length; null: any number.'),
    concurrency: s.number.nullable().about('At most so many steps use it at one time; null: any number.'),
  }),
  'Steps that use the connection wait until these limits allow it.',
);
export type ConnectionLimitsView = s.Infer<typeof ConnectionLimitsView>;

export const ConnectionStatus = s.named(
  'ConnectionStatus',
  s.words('active', 'expired', 'revoked'),
  '`expired`: the access token has ended, and there is no refresh token. `revoked`: the provider has rejected the refresh token.',
);
export type ConnectionStatus = s.Infer<typeof ConnectionStatus>;

export const ConnectionView = s.named(
  'ConnectionView',
  s.object({
    id: s.text,
    kind: s.words('manual', 'oauth'),
    connector: s.text.about('The connector of a manual one, the provider of an OAuth one.'),
    name: s.text,
    status: ConnectionStatus,
    state: s
      .words('ok', 'failing', 'reconnect')
      .about('`failing`: the last use or refresh failed. `reconnect`: connect the account again.'),
    app_id: s.text.nullable().about('The OAuth app that it was connected with.'),
    account: s.text.nullable().about('Whose account it is, as far as the provider tells: an address, a workspace.'),
    scopes: s.array(s.text),
    expires_at: s.text
      .nullable()
      .about('When the access token expires; null where it does not, or the time is unknown.'),
    last_error: s.text.nullable(),
    limits: ConnectionLimitsView,
    paused_until: s.text
      .nullable()
      .about('The provider has asked for a pause: steps wait until then. Null without one.'),
    created_by: s.text,
    created_at: s.text,
    updated_at: s.text,
    last_used_at: s.text.nullable(),
  }),
  'An account at a provider as its tenant sees it, without its credentials.',
);
export type ConnectionView = s.Infer<typeof ConnectionView>;

const AccessTokenView = s.named(
  'AccessTokenView',
  s.object({
    access_token: s.text,
    token_type: s.text,
    expires_at: s.text.nullable(),
    scopes: s.array(s.text),
  }),
  'A valid access token.',
);

/** The result of a live call with the credentials of a connection. */
const ConnectionTestView = s.named(
  'ConnectionTestView',
  s.object({
    outcome: s.words('ok', 'failed', 'untested').about('`untested`: nothing is known by which it can be tested.'),
    message: s.text.nullable(),
    connection: ConnectionView,
  }),
);

/** A connection's name; further rules are checked by the store. */
const nameParam = { type: 'string', trim: true, min: 1, max: 100, optional: true } as const;

/** Segments of letters, digits and a few signs: nothing of it leads to another host, or upwards. */
const RETURN_TO = /^(?:\/[\w~-][\w.~-]*)*\/?$/;

const texts = (max: number) => ({ type: 'record', key: 'string', value: { type: 'string', max } }) as const;

const visit = typed<BrowserVisit>()({
  fields: texts(8_192),
  cookies: texts(8_192),
  origin: { type: 'string', max: 300, optional: true, nullable: true },
});

const browserAction = (summary: string) =>
  ({
    access: 'gateway',
    summary,
    params: visit,
    result: BrowserStep,
    errors: ['oauth_failed', 'provider_not_configured', 'provider_failed'],
  }) as const;
const departure = browserAction('Sends a browser to the provider');
const arrival = browserAction('Where the provider sends the browser back');

/** An id as routes bring it. */
const idParam = { type: 'string', min: 1, max: 200 } as const;

const limitParams = {
  rate: {
    type: 'object',
    strict: true,
    optional: true,
    nullable: true,
    props: {
      limit: { type: 'number', integer: true, min: 1, max: 1_000 },
      period_seconds: { type: 'number', integer: true, min: 1, max: 86_400 },
    },
  },
  concurrency: { type: 'number', integer: true, min: 1, max: 1_000, optional: true, nullable: true },
} as const;

export const connectionsContract = contract('connections', {
  ...oauthAppActions,
  oauth_status: {
    rest: 'GET /api/v1/oauth/status',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Configured OAuth providers',
    description: 'Which OAuth providers the operator has configured.',
    params: {},
    result: s.object({
      providers: s.object({
        chat: s.object({
          configured: s.boolean,
          missing: s.array(s.text),
        }),
        notes: s.object({
          configured: s.boolean,
          missing: s.array(s.text),
        }),
        suite: s.object({
          configured: s.boolean,
          missing: s.array(s.text),
        }),
      }),
    }),
  },
  oauth_start: {
    rest: 'POST /api/v1/oauth/:provider(suite|notes|chat)/start',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    given: ['origin'],
    integrators: true,
    summary: "Starts an OAuth flow for the caller's tenant; returns an address for a browser, valid once",
    description:
      "Starts an OAuth flow for the caller's tenant. `ticket` is valid once, for ten minutes, in `authorize_url`.",
    params: {
      provider: { type: 'enum', values: [...OAUTH_PROVIDERS] },
      name: nameParam,
      scopes: { type: 'array', items: { type: 'string', min: 1, max: 300 }, max: 100, optional: true },
      return_to: { type: 'string', max: 300, pattern: RETURN_TO, optional: true },
      origin: { type: 'string', max: 300, optional: true, nullable: true },
    },
    result: s.object({
      ticket: s.text,
      authorize_url: s.text,
      expires_at: s.text,
    }),
    errors: ['conflict', 'provider_not_configured', 'provider_failed'],
  },
  suite_authorize: departure,
  suite_callback: arrival,
  notes_authorize: departure,
  notes_callback: arrival,
  chat_authorize: departure,
  chat_callback: arrival,
  app_authorize: departure,
  app_callback: arrival,
  claim: {
    rest: 'POST /api/v1/oauth/claims',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Claims the connection of a flow without a ticket',
    description: 'Claims the connection of a flow without a ticket; a code is valid once.',
    params: { code: { type: 'string', min: 1, max: 200 }, name: nameParam },
    result: ConnectionView,
    errors: ['invalid_token', 'conflict'],
  },
  list: {
    rest: 'GET /api/v1/oauth/connections',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Connected accounts, and manual connections',
    params: pageParams,
    result: s.listed(ConnectionView),
  },
  create: {
    rest: 'POST /api/v1/connections',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a manual connection, after testing the credentials',
    description: 'Creates a manual connection. The credentials are tested by a live call where the connector has one.',
    params: {
      connector: { type: 'string', min: 1, max: 200 },
      name: nameParam,
      credentials: { type: 'object' },
      ...limitParams,
    },
    result: ConnectionView,
    errors: ['unknown_secret', 'conflict', 'provider_failed'],
  },
  set_limits: {
    rest: 'PUT /api/v1/connections/:id/limits',
    access: 'member',
    repeatable: true,
    integrators: true,
    summary: 'Sets the limits of a connection',
    description:
      'Steps that use the connection wait until its limits allow it, on all hosts. A limit that is left out, or null, is removed.',
    params: { id: idParam, ...limitParams },
    result: ConnectionView,
    errors: ['not_found'],
  },
  /** Holds back the steps that use a connection, because its provider asked for it. */
  pause: {
    access: 'internal',
    repeatable: true,
    summary: 'Holds back the steps of a connection until a time',
    params: { id: idParam, until: { type: 'number', integer: true, positive: true } },
    result: s.nothing,
    errors: [],
  },
  remove: {
    rest: 'DELETE /api/v1/oauth/connections/:id',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Disconnects an account',
    description: 'Disconnects: the tokens are revoked at the provider, and removed here.',
    params: { id: idParam, force: forceParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  test: {
    rest: 'POST /api/v1/connections/:id/test',
    access: 'member',
    integrators: true,
    summary: 'Tests the credentials of a connection with a live call',
    description:
      'Tests with a read-only call of the connector, or of the OAuth app. The outcome is kept in `last_error`.',
    params: { id: idParam },
    result: ConnectionTestView,
    errors: ['not_found'],
  },
  used_by: {
    rest: 'GET /api/v1/connections/:id/used-by',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Workflows that use a connection, and where',
    params: { id: idParam },
    result: UsedBy,
    errors: ['not_found'],
  },
  /** Those of the ids and names that no connection has. */
  missing: {
    access: 'internal',
    repeatable: true,
    summary: 'Those of the ids and names that no connection has',
    params: refsParams,
    result: s.typed<{ refs: string[] }>(),
  },
  token: {
    rest: 'GET /api/v1/oauth/connections/:id/token',
    access: 'member',
    integrators: true,
    summary: 'A fresh access token',
    params: { id: idParam },
    result: AccessTokenView,
    errors: ['not_found', 'conflict', 'connection_expired', 'connection_revoked', 'provider_failed'],
  },
  refresh: {
    rest: 'POST /api/v1/oauth/connections/:id/refresh',
    access: 'member',
    integrators: true,
    summary: 'Renews the access token now',
    params: { id: idParam },
    result: ConnectionView,
    errors: ['not_found', 'conflict', 'connection_expired', 'connection_revoked', 'provider_failed'],
  },
  /** Credentials of the tenant's connection with that id or name, for one of these connectors. */
  credentials: {
    access: 'internal',
    repeatable: true,
    summary: 'What a connection shows its provider, for a step',
    params: {
      ref: { type: 'string', max: 200 },
      connectors: { type: 'array', items: { type: 'string', max: 200 }, min: 1, max: 20 },
      refused: { type: 'string', max: 20_000, optional: true },
    },
    result: s.typed<CredentialsResult>(),
  },
});
