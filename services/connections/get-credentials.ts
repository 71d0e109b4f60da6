import { sameText } from '../../lib/crypto';
import { errorMessage } from '../../lib/errors';
import type { ActionContext, ServiceContext } from '../../mixins/service';
import { connectorsByName } from '../../nodes/connectors';
import type { CredentialsResult } from '../../contracts/connections';
import type { ConnectionQuota } from '../../nodes/contract';
import type { ConnectionDoc } from './models';
import { pausedUntil } from './view';
import type { ConnectionDeps } from './deps';
import type { OAuthApp } from './oauth-apps/apps';
import { ANY_OAUTH, credentialsForSteps } from './oauth-apps/settings';
import type { RefreshResult } from './token-refresh/token-refresher';

type CredentialsContext = ActionContext<'connections.credentials'>;
type Refused = Extract<CredentialsResult, { kind: 'refused' }>;

/** Resolution of `last_used_at`. */
const USE_RECORD_INTERVAL_MS = 60_000;

/** Credentials for a step, or the error. @throws AppError unavailable while the token cannot be refreshed */
export async function getCredentials(deps: ConnectionDeps, ctx: CredentialsContext): Promise<CredentialsResult> {
  const { params, tenantId } = ctx;
  const found = await resolveConnection(deps, tenantId, params.ref, params.connectors);
  if (found.kind === 'refused') return found;
  const { connection } = found;
  if (connection.kind === 'oauth') {
    const result = await refreshIfNeeded(deps, connection, params.refused, ctx.log);
    if (result.kind !== 'ready') return refusalOf(result, connection.name);
    return credentialsReady(deps, ctx, result.connection);
  }
  return credentialsReady(deps, ctx, connection);
}

async function credentialsReady(
  { app, apps, store, vault }: ConnectionDeps,
  { log }: CredentialsContext,
  connection: ConnectionDoc,
): Promise<CredentialsResult> {
  const { _id, connector, tenant_id, last_used_at } = connection;
  const now = app.clock.now();
  if ((last_used_at?.getTime() ?? 0) + USE_RECORD_INTERVAL_MS <= now) {
    // Not awaited: a lost write does no harm.
    store
      .scope(tenant_id)
      .update({ _id }, { $set: { last_used_at: new Date(now) } })
      .catch((fault: unknown) =>
        log.debug(`last_used_at of connection ${_id} could not be stored: ${errorMessage(fault)}`),
      );
  }
  const oauthApp = await apps.ofConnection(connection);
  const stored = { ...vault.open(connection).credentials };
  const credentials = oauthApp === null ? stored : credentialsForSteps(oauthApp.settings, stored);
  const plain = Object.keys(credentials).filter((name) => isPlain(connection, name, oauthApp));
  return {
    kind: 'ready',
    connection: {
      id: _id,
      connector,
      credentials,
      ...(plain.length === 0 ? {} : { plain }),
      ...(oauthApp === null ? {} : { hosts: [...oauthApp.settings.hosts] }),
    },
    ...quotaOf(connection, now),
  };
}

/** When steps may use the connection; nothing where they need not wait. */
function quotaOf(connection: ConnectionDoc, now: number): { quota?: ConnectionQuota } {
  const { rate = null, concurrency = null } = connection.limits ?? {};
  const paused = pausedUntil(connection, now);
  if (rate === null && concurrency === null && paused === null) return {};
  const pause = paused?.getTime() ?? null;
  const inMs = rate === null ? null : { limit: rate.limit, periodMs: rate.period_seconds * 1_000 };
  return { quota: { rate: inMs, concurrency, pausedUntil: pause } };
}

/** True for fields that may be stored in journals: a host, a port, an id. An unknown field counts as a secret. */
function isPlain({ kind, connector }: ConnectionDoc, name: string, oauthApp: OAuthApp | null): boolean {
  if (kind === 'oauth' && name.endsWith('_id')) return true;
  if (kind === 'oauth' && oauthApp === null) return false;
  const field = connectorsByName.get(connector)?.auth.fields.find((one) => one.name === name);
  return field !== undefined && !field.secret;
}

async function resolveConnection(
  { app, store }: ConnectionDeps,
  tenantId: string,
  ref: string,
  connectors: readonly string[],
): Promise<Refused | { kind: 'found'; connection: ConnectionDoc }> {
  const kinds = connectors.join(' or ');
  if (ref === '') {
    const [only, another] = await store.candidates(tenantId, connectors, app.clock.now());
    if (only === undefined) return refused('unknown_connection', `No connection for ${kinds} exists; create one first`);
    if (another === undefined) return { kind: 'found', connection: only };
    return refused('ambiguous_connection', `Several connections for ${kinds} exist; set 'connection' to one of them`);
  }
  const connection = await store.find(tenantId, ref);
  if (connection === null) return refused('unknown_connection', `Connection "${ref.slice(0, 100)}" not found`);
  const fits = connectors.includes(connection.connector);
  const fitsAny = connectors.includes(ANY_OAUTH) && (connection.app_id ?? null) !== null;
  if (fits || fitsAny) return { kind: 'found', connection };
  return refused(
    'wrong_connection',
    `The connection "${connection.name}" is for ${connection.connector}; use one for ${kinds}`,
  );
}

function refusalOf(result: Exclude<RefreshResult, { kind: 'ready' }>, name: string): Refused {
  switch (result.kind) {
    case 'gone':
      return refused('unknown_connection', `The connection "${name}" was removed`);
    case 'expired':
      return refused('connection_expired', `The connection "${name}" has expired; connect the account again`);
    case 'revoked':
      return refused(
        'connection_revoked',
        `The provider has revoked the connection "${name}"; connect the account again`,
      );
  }
}

const refused = (code: string, message: string): Refused => ({ kind: 'refused', error: { code, message } });

/**
 * Returns a connection with a token that is not known to be invalid. `refused`: a token that the provider rejected; it is
 * refreshed unless that has happened since. @throws AppError unavailable
 */
async function refreshIfNeeded(
  deps: ConnectionDeps,
  connection: ConnectionDoc,
  refused: string | undefined,
  log: ServiceContext['log'],
): Promise<RefreshResult> {
  const known = refused === undefined ? undefined : deps.vault.open(connection).credentials.access_token;
  const isCurrentToken = refused !== undefined && known !== undefined && sameText(known, refused);
  const result = await deps.tokenRefresher.refresh(
    connection,
    isCurrentToken ? { kind: 'newer', than: connection.generation } : { kind: 'any' },
    log,
  );
  if (isCurrentToken && result.kind === 'revoked' && result.connection.status === 'active')
    await recordRejection(deps, result.connection);
  return result;
}

/** Records the rejection of a token that cannot be refreshed, so that users see why steps fail. */
async function recordRejection(
  { app, store }: ConnectionDeps,
  { _id, tenant_id, generation }: ConnectionDoc,
): Promise<void> {
  await store.scope(tenant_id).update(
    { _id, generation },
    {
      $set: {
        last_error: 'The provider rejected the access token; connect the account again',
        updated_at: new Date(app.clock.now()),
      },
    },
  );
}
