import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { OAuthWord } from '../../../lib/oauth-config';
import { isUnreachable } from '../../../lib/database';
import type { ServiceContext } from '../../../mixins/service';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import type { App } from '../../app';
import type { ConnectionDoc, ConnectionModels, Refreshing } from '../models';
import type { ProviderClient } from '../oauth/client';
import type { TokenAnswer, Tokens } from '../oauth/provider-profile';
import { PROVIDER_TIMEOUT_MS } from '../oauth/transport';
import { lifetimeOf } from '../token-lifetime';
import { type StoredCredentials, credentialsFrom, type Vault } from '../vault';
import { LEASE_MS, retryAt, type Verdict, verdictOn, type Wanted } from './rules';

/** A connection with usable credentials, or the reason why there are none. `gone`: it was removed meanwhile. */
export type RefreshResult =
  | { readonly kind: 'ready'; readonly connection: ConnectionDoc }
  | { readonly kind: 'expired' | 'revoked'; readonly connection: ConnectionDoc }
  | { readonly kind: 'gone' };

/** Callbacks after changes that other services must know. */
interface RefreshEvents {
  /** Cached credentials of the tenant are stale. */
  stale(tenantId: string): Promise<void>;
  /** The provider has rejected the refresh token. */
  revoked(connection: ConnectionDoc, reason: string): Promise<void>;
}

interface Parts {
  readonly app: App;
  readonly models: Pick<ConnectionModels, 'connections'>;
  readonly vault: Vault;
  readonly clients: Readonly<Record<OAuthWord, ProviderClient>>;
  readonly events: RefreshEvents;
}

/** Pauses between polls of a refresh by another process, in milliseconds; the last one repeats. */
const POLL_MS = [40, 80, 150, 300];
const MAX_WAIT_MS = 20_000;
const KEEP_TRIES = 5;
const KEEP_PAUSE_MS = 300;

/**
 * Refreshes access tokens. Each refresh token is used once in the whole cluster, as providers with token rotation require.
 *
 * Invariants:
 *  R1  The refreshing process first takes a lease by a conditional write of its id. No other process refreshes during the
 *      lease. The request is sent only while enough of the lease is left for the response.
 *  R2  New tokens are stored by one write that is conditional on their generation; a newer generation is never overwritten.
 *  R3  After a crash in between, the next process tries the old refresh token once more, because many providers accept it.
 *      When the provider rejects it, the connection is marked as revoked. Tokens that arrive late make it active again.
 */
export class TokenRefresher {
  /** Refreshes of this process in progress, by connection and generation. */
  readonly #underway = new Map<string, Promise<void>>();

  constructor(private readonly parts: Parts) {}

  /** @throws AppError unavailable while the provider cannot be reached, or another process refreshes */
  async refresh(first: ConnectionDoc, wanted: Wanted, log: ServiceContext['log']): Promise<RefreshResult> {
    const { clock } = this.parts.app;
    const begun = clock.now();
    let connection = first;
    for (let polls = 0; ; polls += 1) {
      const verdict = this.#verdict(connection, first, wanted);
      switch (verdict.kind) {
        case 'use':
          return { kind: 'ready', connection };
        case 'expired':
        case 'revoked':
          return { kind: verdict.kind, connection };
        case 'later':
          throw unavailable(connection, verdict.until - clock.now());
        case 'renew':
          await this.#once(connection, log);
          break;
        case 'wait': {
          if (clock.now() - begun > MAX_WAIT_MS) throw unavailable(connection, LEASE_MS);
          const own = this.#underway.get(keyOf(connection));
          await (own ?? sleep(POLL_MS[Math.min(polls, POLL_MS.length - 1)]));
        }
      }
      const again = await this.#of(first.tenant_id).findOne({ _id: first._id });
      if (again === null) return { kind: 'gone' };
      connection = again;
    }
  }

  /** A token that was refreshed for this call is used, however short its lifetime is. */
  #verdict(connection: ConnectionDoc, first: ConnectionDoc, wanted: Wanted): Verdict {
    const { app } = this.parts;
    // In a single-process installation, a lease from before the start of this process is abandoned.
    const isDead = app.exclusive && !this.#underway.has(keyOf(connection));
    const verdict = verdictOn(isDead ? { ...connection, refreshing: null } : connection, wanted, app.clock.now());
    return verdict.kind === 'renew' && connection.generation > first.generation ? { kind: 'use' } : verdict;
  }

  #once(connection: ConnectionDoc, log: ServiceContext['log']): Promise<void> {
    const key = keyOf(connection);
    const known = this.#underway.get(key);
    if (known !== undefined) return known;
    const renewal = this.#renew(connection, log).finally(() => this.#underway.delete(key));
    this.#underway.set(key, renewal);
    return renewal;
  }

  /** One attempt to take the lease and refresh. The caller reads the result from the record. */
  async #renew(seen: ConnectionDoc, log: ServiceContext['log']): Promise<void> {
    const { app, vault, clients } = this.parts;
    // Decrypted before the lease is taken: credentials that cannot be decrypted cannot be refreshed.
    const stored = vault.open(seen);
    const since = app.clock.now();
    const by = randomId();
    if (!(await this.#take(seen, { by, since: new Date(since) }))) return;
    const inTime = (): boolean => app.clock.now() < since + LEASE_MS - PROVIDER_TIMEOUT_MS;
    const answer = await clients[seen.connector as OAuthWord].renew(stored.refresh_token ?? '', inTime);
    if (answer.kind === 'tokens') return this.#keep(seen, stored, answer.tokens, since);
    log.warn(`The connection ${seen._id} was not renewed: ${answer.message}`);
    return this.#failed(seen, by, answer);
  }

  /** Takes the lease; false when another process was faster. */
  async #take({ tenant_id, _id, generation, refreshing }: ConnectionDoc, turn: Refreshing): Promise<boolean> {
    const free = refreshing === null ? { refreshing: null } : { 'refreshing.by': refreshing.by };
    const taken = await this.#of(tenant_id).update(
      { _id, generation, status: 'active', ...free },
      { $set: { refreshing: turn } },
    );
    return taken !== null;
  }

  /** Stores new tokens, even after the lease has expired and another process was rejected: these tokens are valid. */
  async #keep(seen: ConnectionDoc, before: StoredCredentials, tokens: Tokens, since: number): Promise<void> {
    const { app, vault, events } = this.parts;
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
    const kept = await persistently(() =>
      this.#of(tenant_id).update({ _id, generation }, { $set: change, $inc: { generation: 1 } }),
    );
    if (kept === null) await this.#dropped(seen, tokens);
    await events.stale(tenant_id);
  }

  async #failed(
    { tenant_id, _id, generation }: ConnectionDoc,
    by: string,
    answer: Exclude<TokenAnswer, { kind: 'tokens' }>,
  ): Promise<void> {
    const { app, events } = this.parts;
    const now = app.clock.now();
    const outcome =
      answer.kind === 'revoked'
        ? { status: 'revoked', retry_at: null }
        : { retry_at: retryAt(answer.kind === 'failed' ? answer.retryAfterMs : null, now) };
    const updated = await this.#of(tenant_id).update(
      { _id, generation, 'refreshing.by': by },
      { $set: { ...outcome, refreshing: null, last_error: answer.message, updated_at: new Date(now) } },
    );
    if (updated === null || answer.kind !== 'revoked') return;
    await events.stale(tenant_id);
    await events.revoked(updated, answer.message);
  }

  /** Revokes tokens that cannot be stored, because their connection was removed or is being removed. */
  async #dropped({ tenant_id, _id, connector }: ConnectionDoc, tokens: Tokens): Promise<void> {
    const left = await this.#of(tenant_id).findOne({ _id });
    if (left === null || left.status === 'revoked') await this.parts.clients[connector as OAuthWord].revoke(tokens);
  }

  #of(tenantId: string): TenantScope<ConnectionDoc> {
    return ofTenant(this.parts.models.connections, tenantId);
  }
}

/** Retries while the database is unavailable, because new tokens would be lost otherwise. */
async function persistently<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (fault) {
      if (!isUnreachable(fault) || tries >= KEEP_TRIES) throw fault;
      await sleep(KEEP_PAUSE_MS * tries);
    }
  }
}

const keyOf = ({ _id, generation }: ConnectionDoc): string => `${_id} ${generation}`;

function unavailable({ name, last_error }: ConnectionDoc, ms: number): AppError {
  const why = last_error === null ? 'its renewal is under way elsewhere' : last_error;
  return new AppError('unavailable', `The connection ${name} cannot be renewed now: ${why}`, {
    retry_after: Math.max(1, Math.ceil(ms / 1_000)),
  });
}
