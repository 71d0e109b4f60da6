import { randomId } from '../../lib/ids';
import type { OAuthProvider } from '../../lib/oauth-config';
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
  readonly provider: OAuthProvider;
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
}

/**
 * Stores tokens as a connection. A known account is reconnected under its id and name, so that references to it stay valid.
 * @throws AppError conflict
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
  { acting: { tenantId }, name }: ConnectionOwner,
  { provider, tokens }: Grant,
): Promise<ConnectionDoc | null> {
  const same = await store.findByAccount(tenantId, provider, tokens.subject);
  if (same !== null && (name === null || name === same.name)) return same;
  if (name === null) return null;
  const named = await store.find(tenantId, name);
  if (named === null || named.kind !== 'oauth' || named.connector !== provider) return null;
  return statusOf(named, app.clock.now()) === 'active' ? null : named;
}

async function reconnect(
  { app, store, vault }: ConnectionDeps,
  { acting }: ConnectionOwner,
  { tokens, requestedScopes, since }: Grant,
  before: ConnectionDoc,
): Promise<ConnectionDoc | null> {
  // A provider may issue the refresh token of an account only once.
  const isSameAccount = before.subject !== null && before.subject === tokens.subject;
  const stored = credentialsFrom(tokens, isSameAccount ? vault.open(before) : undefined);
  const change = {
    ...vault.seal(before.tenant_id, before._id, stored),
    ...lifetimeOf(tokens, requestedScopes, since),
    renewable: stored.refresh_token !== null,
    status: 'active',
    account: tokens.account,
    subject: tokens.subject,
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
  { provider, tokens, requestedScopes, since }: Grant,
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
    connector: provider,
    account: tokens.account,
    subject: tokens.subject,
    renewable: stored.refresh_token !== null,
    last_error: null,
    created_by: createdBy,
    created_at: new Date(app.clock.now()),
  };
  const defaultName = name ?? (tokens.account === null ? provider : `${provider} ${tokens.account}`);
  const event = {
    action: 'connection.create',
    target: targetOf({ _id, name: defaultName }),
    after: { kind: 'oauth', connector: provider, name: defaultName, account: tokens.account, scopes: fresh.scopes },
  };
  return app.audit.audited(acting, event, () =>
    name === null ? store.insertWithSuffix(tenantId, defaultName, fresh) : store.insert(tenantId, name, fresh),
  );
}
