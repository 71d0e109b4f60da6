import { randomId } from '../../lib/ids';
import type { OAuthWord } from '../../lib/oauth-config';
import type { Acting } from '../../mixins/audit';
import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/provider-profile';
import type { ConnectionParts } from './parts';
import type { Fresh } from './store';
import { lifetimeOf } from './token-lifetime';
import { credentialsFrom } from './vault';
import { recordOf, statusOf, targetOf } from './view';

/** Tokens of a provider, and the requested scopes. */
export interface Grant {
  readonly provider: OAuthWord;
  readonly tokens: Tokens;
  readonly asked: readonly string[];
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
  parts: ConnectionParts,
  owner: ConnectionOwner,
  given: Grant,
): Promise<ConnectionDoc> {
  const before = await reconnectable(parts, owner, given);
  const renewed = before === null ? null : await reconnect(parts, owner, given, before);
  const connection = renewed ?? (await connect(parts, owner, given));
  await parts.stale(connection.tenant_id);
  return connection;
}

/** The connection to be reconnected; null for a new one. */
async function reconnectable(
  { app, store }: ConnectionParts,
  { acting: { tenantId }, name }: ConnectionOwner,
  { provider, tokens }: Grant,
): Promise<ConnectionDoc | null> {
  const same = await store.sameAccount(tenantId, provider, tokens.subject);
  if (same !== null && (name === null || name === same.name)) return same;
  if (name === null) return null;
  const named = await store.find(tenantId, name);
  if (named === null || named.kind !== 'oauth' || named.connector !== provider) return null;
  return statusOf(named, app.clock.now()) === 'active' ? null : named;
}

async function reconnect(
  { app, store, vault }: ConnectionParts,
  { acting }: ConnectionOwner,
  { tokens, asked, since }: Grant,
  before: ConnectionDoc,
): Promise<ConnectionDoc | null> {
  // A provider may issue the refresh token of an account only once.
  const same = before.subject !== null && before.subject === tokens.subject;
  const stored = credentialsFrom(tokens, same ? vault.open(before) : undefined);
  const change = {
    ...vault.seal(before.tenant_id, before._id, stored),
    ...lifetimeOf(tokens, asked, since),
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
    before: recordOf(before),
    after: { account: tokens.account, scopes: change.scopes },
  };
  return app.audit.audited(acting, event, () =>
    // A refresh in progress uses the previous tokens; its write fails, because the generation has changed.
    store.of(before.tenant_id).update({ _id: before._id }, { $set: change, $inc: { generation: 1 } }),
  );
}

async function connect(
  { app, store, vault }: ConnectionParts,
  { acting, createdBy, name }: ConnectionOwner,
  { provider, tokens, asked, since }: Grant,
): Promise<ConnectionDoc> {
  const { tenantId } = acting;
  await store.assertRoom(tenantId);
  const _id = randomId();
  const stored = credentialsFrom(tokens);
  const fresh: Fresh = {
    _id,
    ...vault.seal(tenantId, _id, stored),
    ...lifetimeOf(tokens, asked, since),
    kind: 'oauth',
    connector: provider,
    account: tokens.account,
    subject: tokens.subject,
    renewable: stored.refresh_token !== null,
    last_error: null,
    created_by: createdBy,
    created_at: new Date(app.clock.now()),
  };
  const wanted = name ?? (tokens.account === null ? provider : `${provider} ${tokens.account}`);
  const event = {
    action: 'connection.create',
    target: targetOf({ _id, name: wanted }),
    after: { kind: 'oauth', connector: provider, name: wanted, account: tokens.account, scopes: fresh.scopes },
  };
  return app.audit.audited(acting, event, () =>
    name === null ? store.insertNear(tenantId, wanted, fresh) : store.insert(tenantId, name, fresh),
  );
}
