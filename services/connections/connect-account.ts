import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { Acting } from '../../mixins/audit';
import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/provider-profile';
import type { ConnectionDeps } from './deps';
import type { NewConnection } from './store';
import { lifetimeOf } from './token-lifetime';
import { credentialsFrom } from './vault';
import { auditOf, statusOf, targetOf } from './view';

/** Tokens of a provider, and the requested scopes. */
export interface Grant {
  /** What the connection is for: an OAuth provider of connectors, or a connector. */
  readonly connector: string;
  /** The OAuth app that was used; null for a built-in provider. */
  readonly appId: string | null;
  /** Begins the name of a new connection without a name of its own. */
  readonly title: string;
  readonly tokens: Tokens;
  readonly requestedScopes: readonly string[];
  /** When the tokens were requested, in epoch milliseconds. */
  readonly since: number;
}

/** The owner and name of the connection. A null name: named after the account. */
interface ConnectionOwner {
  readonly acting: Acting;
  readonly createdBy: string;
  readonly name: string | null;
  /** The connection to be connected again. */
  readonly connectionId?: string | undefined;
}

/**
 * Stores tokens as a connection. A known account is reconnected under its id and name, so that references to it stay valid.
 * @throws AppError conflict, not_found
 */
export async function connectOrReconnect(
  deps: ConnectionDeps,
  owner: ConnectionOwner,
  grant: Grant,
): Promise<ConnectionDoc> {
  const before = await findReconnectable(deps, owner, grant);
  const renewed = before === null ? null : await reconnect(deps, owner, grant, before);
  const connection = renewed ?? (await connect(deps, owner, grant));
  await deps.invalidateCredentials(connection.tenant_id);
  return connection;
}

/** Returns the connection to reconnect; null to create a new one. */
async function findReconnectable(
  { app, store }: ConnectionDeps,
  { acting: { tenantId }, name, connectionId }: ConnectionOwner,
  { connector, appId, tokens }: Grant,
): Promise<ConnectionDoc | null> {
  if (connectionId !== undefined) return assertReconnectable(await store.get(tenantId, connectionId), connector);
  const same = await store.findByAccount(tenantId, { connector, appId, subject: tokens.subject });
  if (same !== null && (name === null || name === same.name)) return same;
  if (name === null) return null;
  const named = await store.find(tenantId, name);
  if (named === null || named.kind !== 'oauth' || named.connector !== connector) return null;
  return statusOf(named, app.clock.now()) === 'active' ? null : named;
}

/** Steps that name the connection would fail with the account of another provider. @throws AppError conflict */
export function assertReconnectable(connection: ConnectionDoc, connector: string): ConnectionDoc {
  if (connection.kind === 'oauth' && connection.connector === connector) return connection;
  throw new AppError('conflict', `The connection "${connection.name}" is not an OAuth connection for ${connector}`);
}

async function reconnect(
  { app, store, vault }: ConnectionDeps,
  { acting }: ConnectionOwner,
  { tokens, requestedScopes, since, appId }: Grant,
  before: ConnectionDoc,
): Promise<ConnectionDoc | null> {
  // A provider may issue the refresh token of an account only once. It is good for one client.
  const isSameClient = (before.app_id ?? null) === appId;
  const isSameAccount = isSameClient && before.subject !== null && before.subject === tokens.subject;
  const stored = credentialsFrom(tokens, isSameAccount ? vault.open(before) : undefined);
  const change = {
    ...vault.seal(before.tenant_id, before._id, stored),
    ...lifetimeOf(tokens, requestedScopes, since),
    renewable: stored.refresh_token !== null,
    status: 'active',
    account: tokens.account,
    subject: tokens.subject,
    app_id: appId,
    refreshing: null,
    retry_at: null,
    last_error: null,
    updated_at: new Date(app.clock.now()),
  };
  const event = {
    action: 'connection.reconnect',
    target: targetOf(before),
    before: auditOf(before),
    after: { account: tokens.account, scopes: change.scopes },
  };
  return app.audit.audited(acting, event, () =>
    // A refresh in progress uses the previous tokens; its write fails, because the generation has changed.
    store.scope(before.tenant_id).update({ _id: before._id }, { $set: change, $inc: { generation: 1 } }),
  );
}

async function connect(
  { app, store, vault }: ConnectionDeps,
  { acting, createdBy, name }: ConnectionOwner,
  { connector, appId, title, tokens, requestedScopes, since }: Grant,
): Promise<ConnectionDoc> {
  const { tenantId } = acting;
  await store.assertBelowLimit(tenantId);
  const _id = randomId();
  const stored = credentialsFrom(tokens);
  const fresh: NewConnection = {
    _id,
    ...vault.seal(tenantId, _id, stored),
    ...lifetimeOf(tokens, requestedScopes, since),
    kind: 'oauth',
    connector,
    account: tokens.account,
    subject: tokens.subject,
    app_id: appId,
    renewable: stored.refresh_token !== null,
    last_error: null,
    created_by: createdBy,
    created_at: new Date(app.clock.now()),
  };
  const defaultName = name ?? (tokens.account === null ? title : `${title} ${tokens.account}`);
  const event = {
    action: 'connection.create',
    target: targetOf({ _id, name: defaultName }),
    after: { kind: 'oauth', connector, name: defaultName, account: tokens.account, scopes: fresh.scopes },
  };
  return app.audit.audited(acting, event, () =>
    name === null ? store.insertWithSuffix(tenantId, defaultName, fresh) : store.insert(tenantId, name, fresh),
  );
}
