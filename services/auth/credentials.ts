import { type Cache, createCache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { type KeyScope, roleInScope } from '../../lib/key-scopes';
import type { Principals } from '../../lib/principal';
import type { Role } from '../../lib/roles';
import { type ApiKeys, isApiKey } from './api-keys';
import { hasFactor } from './factors/models';
import { isOperator } from './operators';
import type { AuthModels } from './models';
import type { Sessions } from './sessions/sessions';
import type { Membership } from './team/membership';
import type { AccessTokens, TokenContent } from './tokens';

/** Longer credentials are rejected without further checks; valid ones are shorter. */
const MAX_TOKEN_CHARS = 2_048;
const CACHED = 20_000;

interface Verified {
  principal: string;
  user_id: string;
  tenant_id: string;
  role: Role;
}

interface CredentialDeps {
  readonly models: AuthModels;
  readonly membership: Membership;
  readonly tokens: AccessTokens;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly principals: Principals;
  readonly clock: Clock;
  /** Addresses of OPERATORS. */
  readonly operators: readonly string[];
}

/**
 * Turns bearer credentials into principals. Reads the stored user, so that removals and changed roles apply at once.
 * Results are cached for a second and dropped by `forget`. They are not shared in Redis, where a result could outlive a
 * revocation by seconds.
 */
export class Credentials {
  readonly #answers: Cache<Verified>;
  readonly #pending = new Map<string, Promise<Verified>>();
  #generation = 0;

  constructor(private readonly parts: CredentialDeps) {
    this.#answers = createCache({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => parts.clock.now() });
  }

  /** @throws AppError unauthenticated, with the same message for every reason */
  verify(token: string): Verified | Promise<Verified> {
    return this.#answers.get(token) ?? this.#pending.get(token) ?? this.#lookOnce(token);
  }

  /** Drops all results. Changes of users and keys are rare, so the affected results are not tracked. */
  forget(): void {
    this.#generation += 1;
    this.#answers.clear();
    this.#pending.clear();
  }

  #lookOnce(token: string): Promise<Verified> {
    const generation = this.#generation;
    const looking = this.#look(token)
      .then((verified) => {
        // A lookup that started before `forget` may have read the old state, so its result is not cached.
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
    if (token.length > MAX_TOKEN_CHARS) throw refused();
    return isApiKey(token) ? this.#byApiKey(token) : this.#byAccessToken(token);
  }

  async #byAccessToken(token: string): Promise<Verified> {
    const content = await this.parts.tokens.verify(token, this.parts.clock.now());
    if (content === null) throw refused();
    const [verified, ended] = await Promise.all([
      this.#vouch('user', content.user_id, content.tenant_id, content.issuedAt, content),
      this.parts.models.endedSessions.exists({ _id: content.id }),
    ]);
    if (ended !== null) throw refused();
    this.parts.sessions.used(content.id);
    return verified;
  }

  async #byApiKey(token: string): Promise<Verified> {
    const found = await this.parts.apiKeys.find(token);
    if (found === null) throw refused();
    const { record, since } = found;
    const { scope = 'admin' } = record;
    const verified = await this.#vouch('api_key', record.user_id, record.tenant_id, since.getTime(), null, scope);
    this.parts.apiKeys.used(record._id);
    return verified;
  }

  /** `since`: the start of the session or the creation of the key. It is rejected when all earlier ones were revoked. */
  async #vouch(
    kind: 'user' | 'api_key',
    userId: string,
    tenantId: string,
    since: number,
    session: Pick<TokenContent, 'id' | 'sso'> | null = null,
    scope: KeyScope = 'admin',
  ): Promise<Verified> {
    const member = await this.parts.membership.find(tenantId, userId);
    if (member === null || member.user.deactivated_at !== undefined) throw refused();
    const { user, requiresFactor, suspended } = member;
    const role = roleInScope(member.role, scope);
    const { email, sessions_valid_from, kept_session, credentials_valid_from } = user;
    const validFrom = kind === 'user' ? sessions_valid_from : credentials_valid_from;
    const isKept = session !== null && session.id === kept_session;
    if (since < (validFrom?.getTime() ?? 0) && !isKept) throw refused();
    const mustEnrol = requiresFactor && session !== null && !session.sso && !hasFactor(user);
    const ofSession = session === null ? {} : { session_id: session.id, ...(mustEnrol ? { must_enrol: true } : {}) };
    const operates = isOperator(this.parts.operators, user, session === null ? null : { sso: session.sso, mustEnrol });
    const principal = this.parts.principals.sign(
      {
        kind,
        tenant_id: tenantId,
        user_id: userId,
        email,
        role,
        ...ofSession,
        ...(scope === 'admin' ? {} : { scope }),
        ...claimsOf({ suspended, operator: operates }),
        ...(role === member.role ? {} : { user_role: member.role }),
      },
      this.parts.clock.now(),
    );
    return { principal, user_id: userId, tenant_id: tenantId, role };
  }
}

/** The claims that hold; the others are left out. */
const claimsOf = ({ suspended, operator }: { suspended: boolean; operator: boolean }) => ({
  ...(suspended ? { suspended } : {}),
  ...(operator ? { operator } : {}),
});

const refused = (): AppError =>
  new AppError('unauthenticated', 'The credential is not valid: it is malformed, expired or revoked');
