import { Cache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import type { Principal, Principals, Role } from '../../mixins/principal';
import { type ApiKeys, isApiKey } from './api-keys';
import type { AuthModels } from './models';
import type { Roster } from './team/roster';
import type { AccessTokens } from './tokens';

/** No credential of ours is longer; whatever is gets no work spent on it. */
const LONGEST = 2_048;
const CACHED = 20_000;
/** Bounds how long another process may honour what this one has just revoked. */
const CACHED_MS = 1_000;

export interface Verified {
  principal: string;
  user_id: string;
  tenant_id: string;
  role: Role;
}

interface Parts {
  readonly models: AuthModels;
  readonly roster: Roster;
  readonly tokens: AccessTokens;
  readonly apiKeys: ApiKeys;
  readonly principals: Principals;
  readonly clock: Clock;
}

/**
 * Turns bearer credentials into principals. Who the bearer is now is read from his stored user, so that removal and
 * a changed role count at once; answers are kept for a second, and dropped when `forget` says that something changed.
 * They are not shared by Redis: there an answer would outlive by seconds a revocation of which Redis did not hear.
 */
export class Credentials {
  readonly #answers: Cache<Verified>;
  readonly #pending = new Map<string, Promise<Verified>>();
  #generation = 0;

  constructor(private readonly parts: Parts) {
    this.#answers = new Cache({ max: CACHED, ttlMs: CACHED_MS, now: () => parts.clock.now() });
  }

  /** @throws AppError unauthenticated, in the same words whatever is wrong. */
  verify(token: string): Verified | Promise<Verified> {
    return this.#answers.get(token) ?? this.#pending.get(token) ?? this.#lookOnce(token);
  }

  /** Drops every answer: changes of users and keys are rare, and what they touch need not be traced. */
  forget(): void {
    this.#generation += 1;
    this.#answers.clear();
    this.#pending.clear();
  }

  #lookOnce(token: string): Promise<Verified> {
    const generation = this.#generation;
    const looking = this.#look(token)
      .then((verified) => {
        // A look-up that `forget` overtook may have read the old state; its answer must not be kept.
        if (generation === this.#generation) this.#answers.set(token, verified);
        return verified;
      })
      .finally(() => {
        if (this.#pending.get(token) === looking) this.#pending.delete(token);
      });
    this.#pending.set(token, looking);
    return looking;
  }

  async #look(token: string): Promise<Verified> {
    if (token.length > LONGEST) throw refused();
    return isApiKey(token) ? this.#byApiKey(token) : this.#byAccessToken(token);
  }

  async #byAccessToken(token: string): Promise<Verified> {
    const content = await this.parts.tokens.verify(token, this.parts.clock.now());
    if (content === null) throw refused();
    const [verified, ended] = await Promise.all([
      this.#vouch('user', content.user_id, content.tenant_id, content.issuedAt),
      this.parts.models.endedSessions.exists({ _id: content.id }),
    ]);
    if (ended !== null) throw refused();
    return verified;
  }

  async #byApiKey(token: string): Promise<Verified> {
    const key = await this.parts.apiKeys.find(token);
    if (key === null) throw refused();
    const verified = await this.#vouch('api_key', key.user_id, key.tenant_id);
    this.parts.apiKeys.used(key._id);
    return verified;
  }

  /** `since`: when a session began that the user may have ended. */
  async #vouch(kind: Principal['kind'], userId: string, tenantId: string, since?: number): Promise<Verified> {
    const standing = await this.parts.roster.find(tenantId, userId);
    if (standing === null) throw refused();
    const { role, user } = standing;
    const { email, sessions_valid_from } = user;
    if (since !== undefined && since < (sessions_valid_from?.getTime() ?? 0)) throw refused();
    const principal = this.parts.principals.sign(
      { kind, tenant_id: tenantId, user_id: userId, email, role },
      this.parts.clock.now(),
    );
    return { principal, user_id: userId, tenant_id: tenantId, role };
  }
}

const refused = (): AppError =>
  new AppError('unauthenticated', 'The credential is not valid: it is malformed, expired or revoked');
