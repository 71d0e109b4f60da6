import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { isUnreachable } from '../../../lib/database';
import type { ServiceContext } from '../../../mixins/service';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { App } from '../../app';
import type { ConnectionDoc, ConnectionModels, Refreshing } from '../models';
import type { ProviderClient } from '../oauth/client';
import type { TokenResult, Tokens } from '../oauth/provider-profile';
import { PROVIDER_TIMEOUT_MS } from '../oauth/transport';
import { lifetimeOf } from '../token-lifetime';
import { type StoredCredentials, credentialsFrom, type Vault } from '../vault';
import { LEASE_MS, retryAt, type RefreshDecision, decideRefresh, type RequiredToken } from './rules';

/** A connection with usable credentials, or why they are not usable. `gone`: it was removed meanwhile. */
export type RefreshResult =
  | { readonly kind: 'ready'; readonly connection: ConnectionDoc }
  | { readonly kind: 'expired' | 'revoked'; readonly connection: ConnectionDoc }
  | { readonly kind: 'gone' };

/** Callbacks after changes that other services must know. */
interface RefreshEvents {
  /** Cached credentials of the tenant are stale. */
  onChanged(tenantId: string): Promise<void>;
  /** The provider has rejected the refresh token. */
  onRevoked(connection: ConnectionDoc, reason: string): Promise<void>;
}

interface RefresherDeps {
  readonly app: App;
  readonly models: Pick<ConnectionModels, 'connections'>;
  readonly vault: Vault;
  /** Null when the OAuth app of the connection was deleted. */
  clientOf(connection: ConnectionDoc): Promise<ProviderClient | null>;
  readonly events: RefreshEvents;
}

/** Pauses between polls of a refresh by another process, in milliseconds; the last one repeats. */
const POLL_MS = [40, 80, 150, 300];
const MAX_WAIT_MS = 20_000;
const MAX_WRITE_ATTEMPTS = 5;
const WRITE_PAUSE_MS = 300;
const APP_DELETED: TokenResult = {
  kind: 'revoked',
  message: 'The OAuth app of the connection was deleted; connect the account with another app',
};

/**
 * Refreshes access tokens. Each refresh token is used once in the whole cluster, as providers with token rotation require.
 *
 * Invariants:
 *  R1  The refreshing process first takes a lease by a conditional write of its id. No other process refreshes during the
 *      lease. The request is sent only while enough of the lease is left for the response.
 *  R2  New tokens are stored by one write that is conditional on their generation; a newer generation is never overwritten.
 *  R3  After a crash between request and write, the next process retries with the old refresh token, which many providers
 *      accept. If the provider rejects it, the connection is marked as revoked; tokens that arrive later make it active.
 */
export class TokenRefresher {
  /** Refreshes of this process in progress, by connection and generation. */
  readonly #inProgress = new Map<string, Promise<void>>();

  constructor(private readonly deps: RefresherDeps) {}

  /** @throws AppError unavailable while the provider cannot be reached, or another process refreshes */
  async refresh(first: ConnectionDoc, required: RequiredToken, log: ServiceContext['log']): Promise<RefreshResult> {
    const { clock } = this.deps.app;
    const startedAt = clock.now();
    let connection = first;
    for (let polls = 0; ; polls += 1) {
      const decision = this.#decide(connection, first, required);
      switch (decision.kind) {
        case 'use':
          return { kind: 'ready', connection };
        case 'expired':
        case 'revoked':
          return { kind: decision.kind, connection };
        case 'later':
          throw unavailable(connection, decision.until - clock.now());
        case 'refresh':
          await this.#refreshOnce(connection, log);
          break;
        case 'wait': {
          if (clock.now() - startedAt > MAX_WAIT_MS) throw unavailable(connection, LEASE_MS);
          const own = this.#inProgress.get(keyOf(connection));
          await (own ?? sleep(POLL_MS[Math.min(polls, POLL_MS.length - 1)]));
        }
      }
      const again = await this.#scope(first.tenant_id).findOne({ _id: first._id });
      if (again === null) return { kind: 'gone' };
      connection = again;
    }
  }

  /** Uses a token that was refreshed during this call, even if its lifetime is short. */
  #decide(connection: ConnectionDoc, first: ConnectionDoc, required: RequiredToken): RefreshDecision {
    const { app } = this.deps;
    // In a single-process installation, a lease from before the start of this process is abandoned.
    const isAbandonedLease = app.exclusive && !this.#inProgress.has(keyOf(connection));
    const decision = decideRefresh(
      isAbandonedLease ? { ...connection, refreshing: null } : connection,
      required,
      app.clock.now(),
    );
    return decision.kind === 'refresh' && connection.generation > first.generation ? { kind: 'use' } : decision;
  }

  #refreshOnce(connection: ConnectionDoc, log: ServiceContext['log']): Promise<void> {
    const key = keyOf(connection);
    const known = this.#inProgress.get(key);
    if (known !== undefined) return known;
    const refresh = this.#tryRefresh(connection, log).finally(() => this.#inProgress.delete(key));
    this.#inProgress.set(key, refresh);
    return refresh;
  }

  /** One attempt to take the lease and refresh. The caller reads the result from the record. */
  async #tryRefresh(seen: ConnectionDoc, log: ServiceContext['log']): Promise<void> {
    const { app, vault, clientOf } = this.deps;
    // Decrypted before the lease is taken: credentials that cannot be decrypted cannot be refreshed.
    const stored = vault.open(seen);
    const client = await clientOf(seen);
    const since = app.clock.now();
    const by = randomId();
    if (!(await this.#acquireLease(seen, { by, since: new Date(since) }))) return;
    const inTime = (): boolean => app.clock.now() < since + LEASE_MS - PROVIDER_TIMEOUT_MS;
    const answer: TokenResult =
      client === null ? APP_DELETED : await client.refresh(stored.refresh_token ?? '', inTime);
    if (answer.kind === 'tokens') return this.#storeTokens(seen, stored, answer.tokens, since);
    log.warn(`Refresh of connection ${seen._id} failed: ${answer.message}`);
    return this.#recordFailure(seen, by, answer);
  }

  /** Acquires the lease by a conditional write. Returns false if another process holds it. */
  async #acquireLease({ tenant_id, _id, generation, refreshing }: ConnectionDoc, lease: Refreshing): Promise<boolean> {
    const free = refreshing === null ? { refreshing: null } : { 'refreshing.by': refreshing.by };
    const taken = await this.#scope(tenant_id).update(
      { _id, generation, status: 'active', ...free },
      { $set: { refreshing: lease } },
    );
    return taken !== null;
  }

  /** Stores new tokens, even after the lease has expired and another process was rejected: these tokens are valid. */
  async #storeTokens(seen: ConnectionDoc, before: StoredCredentials, tokens: Tokens, since: number): Promise<void> {
    const { app, vault, events } = this.deps;
    const { tenant_id, _id, generation } = seen;
    const stored = credentialsFrom(tokens, before);
    const change = {
      ...vault.seal(tenant_id, _id, stored),
      ...lifetimeOf(tokens, seen.scopes, since),
      renewable: stored.refresh_token !== null,
      status: 'active',
      refreshing: null,
      retry_at: null,
      last_error: null,
      updated_at: new Date(app.clock.now()),
    };
    const updated = await retryWhileUnreachable(() =>
      this.#scope(tenant_id).update({ _id, generation }, { $set: change, $inc: { generation: 1 } }),
    );
    if (updated === null) await this.#revokeUnstored(seen, tokens);
    await events.onChanged(tenant_id);
  }

  async #recordFailure(
    { tenant_id, _id, generation }: ConnectionDoc,
    by: string,
    answer: Exclude<TokenResult, { kind: 'tokens' }>,
  ): Promise<void> {
    const { app, events } = this.deps;
    const now = app.clock.now();
    const outcome =
      answer.kind === 'revoked'
        ? { status: 'revoked', retry_at: null }
        : { retry_at: retryAt(answer.kind === 'failed' ? answer.retryAfterMs : null, now) };
    const updated = await this.#scope(tenant_id).update(
      { _id, generation, 'refreshing.by': by },
      { $set: { ...outcome, refreshing: null, last_error: answer.message, updated_at: new Date(now) } },
    );
    if (updated === null || answer.kind !== 'revoked') return;
    await events.onChanged(tenant_id);
    await events.onRevoked(updated, answer.message);
  }

  /** Revokes tokens that cannot be stored, because their connection was removed or is being removed. */
  async #revokeUnstored(connection: ConnectionDoc, tokens: Tokens): Promise<void> {
    const { tenant_id, _id } = connection;
    const left = await this.#scope(tenant_id).findOne({ _id });
    if (left === null || left.status === 'revoked') await (await this.deps.clientOf(connection))?.revoke(tokens);
  }

  #scope(tenantId: string): TenantScope<ConnectionDoc> {
    return ofTenant(this.deps.models.connections, tenantId);
  }
}

/** Retries while the database is unavailable, because new tokens would be lost otherwise. */
async function retryWhileUnreachable<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (fault) {
      if (!isUnreachable(fault) || attempt >= MAX_WRITE_ATTEMPTS) throw fault;
      await sleep(WRITE_PAUSE_MS * attempt);
    }
  }
}

const keyOf = ({ _id, generation }: ConnectionDoc): string => `${_id} ${generation}`;

function unavailable({ name, last_error }: ConnectionDoc, ms: number): AppError {
  const why = last_error === null ? 'another process is refreshing it' : last_error;
  return new AppError('unavailable', `The token of connection ${name} cannot be refreshed now: ${why}`, {
    retry_after: Math.max(1, Math.ceil(ms / 1_000)),
  });
}
