import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { OAuthWord } from '../../../lib/oauth-config';
import { isUnreachable } from '../../../mixins/database';
import type { ServiceContext } from '../../../mixins/service';
import { ofTenant, type TenantScope } from '../../../mixins/tenant';
import type { App } from '../../app';
import type { ConnectionDoc, ConnectionModels, Refreshing } from '../models';
import type { ProviderClient } from '../oauth/client';
import type { TokenAnswer, Tokens } from '../oauth/dialect';
import { PROVIDER_TIMEOUT_MS } from '../oauth/transport';
import { termsOf } from '../terms';
import { type Held, heldOf, type Vault } from '../vault';
import { LEASE_MS, retryAt, type Verdict, verdictOn, type Wanted } from './rules';

/** A connection whose credentials may be given out, or why not. `gone`: it was removed meanwhile. */
export type Settled =
  | { readonly kind: 'ready'; readonly connection: ConnectionDoc }
  | { readonly kind: 'expired' | 'revoked'; readonly connection: ConnectionDoc }
  | { readonly kind: 'gone' };

/** Told of what others should know. */
export interface RenewalNews {
  /** Cached credentials of the tenant are old. */
  stale(tenantId: string): void;
  /** The provider takes the refresh token no more. */
  revoked(connection: ConnectionDoc, reason: string): Promise<void>;
}

interface Parts {
  readonly app: App;
  readonly models: Pick<ConnectionModels, 'connections'>;
  readonly vault: Vault;
  readonly clients: Readonly<Record<OAuthWord, ProviderClient>>;
  readonly news: RenewalNews;
}

/** Pauses between looks at a renewal that somebody else does, in milliseconds; the last one repeats. */
const LOOK_MS = [40, 80, 150, 300];
const MOST_WAIT_MS = 20_000;
const KEEP_TRIES = 5;
const KEEP_PAUSE_MS = 300;

/**
 * Renews access tokens, each refresh token once in the whole cluster, as providers want it that give a new one each time.
 *
 * Invariants:
 *  R1  Whoever renews has first written himself into the record, over exactly what he saw there, and nobody else does
 *      for the length of the lease. He asks the provider only while there is time for its answer.
 *  R2  New tokens are kept by one write that names the generation they were made from; a later one is never overwritten.
 *  R3  After a crash in between, the next one tries the old refresh token once more, since many providers take it. When
 *      this one does not, the connection is told as revoked. New tokens that come late mend it again.
 */
export class Renewer {
  /** Renewals of this process, by connection and generation. */
  readonly #underway = new Map<string, Promise<void>>();

  constructor(private readonly parts: Parts) {}

  /** @throws AppError unavailable while nobody can tell */
  async settle(first: ConnectionDoc, wanted: Wanted, log: ServiceContext['log']): Promise<Settled> {
    const { clock } = this.parts.app;
    const begun = clock.now();
    let connection = first;
    for (let looks = 0; ; looks += 1) {
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
          if (clock.now() - begun > MOST_WAIT_MS) throw unavailable(connection, LEASE_MS);
          const own = this.#underway.get(keyOf(connection));
          await (own ?? sleep(LOOK_MS[Math.min(looks, LOOK_MS.length - 1)]));
        }
      }
      const again = await this.#of(first.tenant_id).findOne({ _id: first._id });
      if (again === null) return { kind: 'gone' };
      connection = again;
    }
  }

  /** A token that was renewed for this very call is given out, however shortly it lives. */
  #verdict(connection: ConnectionDoc, first: ConnectionDoc, wanted: Wanted): Verdict {
    const { app } = this.parts;
    // Where there is no other process, whoever has written himself in before this one began is dead.
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

  /** One turn, won or lost; how things stand afterwards is in the record. */
  async #renew(seen: ConnectionDoc, log: ServiceContext['log']): Promise<void> {
    const { app, vault, clients } = this.parts;
    // Before anybody is held up by it: what does not open cannot be renewed.
    const held = vault.open(seen);
    const since = app.clock.now();
    const by = randomId();
    if (!(await this.#take(seen, { by, since: new Date(since) }))) return;
    const inTime = (): boolean => app.clock.now() < since + LEASE_MS - PROVIDER_TIMEOUT_MS;
    const answer = await clients[seen.connector as OAuthWord].renew(held.refresh_token ?? '', inTime);
    if (answer.kind === 'tokens') return this.#keep(seen, held, answer.tokens, since);
    log.warn(`The connection ${seen._id} was not renewed: ${answer.message}`);
    return this.#failed(seen, by, answer);
  }

  /** False when somebody else was faster. */
  async #take({ tenant_id, _id, generation, refreshing }: ConnectionDoc, turn: Refreshing): Promise<boolean> {
    const free = refreshing === null ? { refreshing: null } : { 'refreshing.by': refreshing.by };
    const taken = await this.#of(tenant_id).update(
      { _id, generation, status: 'active', ...free },
      { $set: { refreshing: turn } },
    );
    return taken !== null;
  }

  /** Keeps new tokens, also when the lease has passed, and the next one was refused since: these are what counts. */
  async #keep(seen: ConnectionDoc, before: Held, tokens: Tokens, since: number): Promise<void> {
    const { app, vault, news } = this.parts;
    const { tenant_id, _id, generation } = seen;
    const held = heldOf(tokens, before);
    const change = {
      ...vault.seal(tenant_id, _id, held),
      ...termsOf(tokens, seen.scopes, since),
      renewable: held.refresh_token !== null,
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
    news.stale(tenant_id);
  }

  async #failed(
    { tenant_id, _id, generation }: ConnectionDoc,
    by: string,
    answer: Exclude<TokenAnswer, { kind: 'tokens' }>,
  ): Promise<void> {
    const { app, news } = this.parts;
    const now = app.clock.now();
    const outcome =
      answer.kind === 'revoked'
        ? { status: 'revoked', retry_at: null }
        : { retry_at: retryAt(answer.kind === 'failed' ? answer.retryAfterMs : null, now) };
    const told = await this.#of(tenant_id).update(
      { _id, generation, 'refreshing.by': by },
      { $set: { ...outcome, refreshing: null, last_error: answer.message, updated_at: new Date(now) } },
    );
    if (told === null || answer.kind !== 'revoked') return;
    news.stale(tenant_id);
    await news.revoked(told, answer.message);
  }

  /** Tokens for which there is no place: those of a connection that was, or is being, removed must not stay alive. */
  async #dropped({ tenant_id, _id, connector }: ConnectionDoc, tokens: Tokens): Promise<void> {
    const left = await this.#of(tenant_id).findOne({ _id });
    if (left === null || left.status === 'revoked') await this.parts.clients[connector as OAuthWord].revoke(tokens);
  }

  #of(tenantId: string): TenantScope<ConnectionDoc> {
    return ofTenant(this.parts.models.connections, tenantId);
  }
}

/** What the provider has given is lost unless it is kept, so a database that is away for a moment is waited for. */
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
