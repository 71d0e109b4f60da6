import { randomId } from '../../lib/ids';
import type { OAuthWord } from '../../lib/oauth-config';
import type { Acting } from '../../mixins/audit';
import type { ConnectionDoc } from './models';
import type { Tokens } from './oauth/dialect';
import type { ConnectionParts } from './parts';
import type { Fresh } from './store';
import { termsOf } from './terms';
import { heldOf } from './vault';
import { recordOf, statusOf, targetOf } from './view';

/** What a provider has given, and for what it was asked. */
export interface Given {
  readonly provider: OAuthWord;
  readonly tokens: Tokens;
  readonly asked: readonly string[];
  /** When it was given, in epoch milliseconds. */
  readonly since: number;
}

/** Whose connection it becomes, under which name; null: after the account. */
export interface Adopter {
  readonly acting: Acting;
  readonly createdBy: string;
  readonly name: string | null;
}

/**
 * Makes a connection of what a provider has given. An account that was connected before is connected again, under its
 * id and name, so that what names it goes on. @throws AppError conflict
 */
export async function adopt(parts: ConnectionParts, adopter: Adopter, given: Given): Promise<ConnectionDoc> {
  const before = await reconnectable(parts, adopter, given);
  const renewed = before === null ? null : await reconnect(parts, adopter, given, before);
  const connection = renewed ?? (await connect(parts, adopter, given));
  parts.stale(connection.tenant_id);
  return connection;
}

/** The connection that is meant to be made good again; null: a new one is meant. */
async function reconnectable(
  { app, store }: ConnectionParts,
  { acting: { tenantId }, name }: Adopter,
  { provider, tokens }: Given,
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
  { acting }: Adopter,
  { tokens, asked, since }: Given,
  before: ConnectionDoc,
): Promise<ConnectionDoc | null> {
  // A provider that has given a refresh token once need not give it again for the same account.
  const same = before.subject !== null && before.subject === tokens.subject;
  const held = heldOf(tokens, same ? vault.open(before) : undefined);
  const change = {
    ...vault.seal(before.tenant_id, before._id, held),
    ...termsOf(tokens, asked, since),
    renewable: held.refresh_token !== null,
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
    // A renewal under way was of the tokens before, and finds its generation gone.
    store.of(before.tenant_id).update({ _id: before._id }, { $set: change, $inc: { generation: 1 } }),
  );
}

async function connect(
  { app, store, vault }: ConnectionParts,
  { acting, createdBy, name }: Adopter,
  { provider, tokens, asked, since }: Given,
): Promise<ConnectionDoc> {
  const { tenantId } = acting;
  await store.assertRoom(tenantId);
  const _id = randomId();
  const held = heldOf(tokens);
  const fresh: Fresh = {
    _id,
    ...vault.seal(tenantId, _id, held),
    ...termsOf(tokens, asked, since),
    kind: 'oauth',
    connector: provider,
    account: tokens.account,
    subject: tokens.subject,
    renewable: held.refresh_token !== null,
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
