import type { ClientNetwork } from '../client-network';
import { errorCode, AppError } from '../errors';
import { type SharedBuckets, TokenBuckets } from '../token-bucket';
import { RateLimiter, type SetHeader } from './rate-limiter';
import { createCache } from '../cache';

/** Maximum remembered valid credentials. */
const MAX_VALID = 50_000;

/**
 * Limits invalid credentials per second and source, such as an address. The rate limit counts by credential, so a
 * client that sends a new one with each request would never reach it. Valid credentials are not limited by source.
 */
class InvalidCredentialLimiter {
  readonly #limiter: RateLimiter;
  readonly #valid = createCache<true>({ max: MAX_VALID });

  constructor(perSecond: number, buckets: TokenBuckets) {
    this.#limiter = new RateLimiter(perSecond, buckets);
  }

  /** Before a credential is verified. @throws AppError rate_limited */
  admit(credential: string, source: string, now: number): void {
    if (this.#valid.has(credential) || !this.#limiter.isExhausted(bucketOf(source), now)) return;
    throw new AppError('rate_limited', 'Too many invalid credentials; slow down', { retry_after: 1 });
  }

  onValid(credential: string): void {
    if (!this.#valid.has(credential)) this.#valid.set(credential, true);
  }

  onInvalid(credential: string, source: string, now: number): void {
    this.#valid.delete(credential);
    this.#limiter.takeLocal(bucketOf(source), now);
  }
}

const bucketOf = (source: string): string => `invalid:${source}`;

/** Limit of a tenant, in credentials: it applies however many keys its members create. */
const CREDENTIALS_PER_TENANT = 4;
/** Limit of an IPv6 /48, in networks, of which it has 65,536. */
const NETWORKS_PER_SITE = 16;
/** This many bytes of a body count as one more request. */
const BYTES_PER_TOKEN = 16 * 1024;

/** The client that a request counts for; `integrator`: a NATS user without a credential. */
export type CountedClient =
  | { readonly kind: 'credential'; readonly hash: string }
  | { readonly kind: 'integrator'; readonly name: string }
  | ({ readonly kind: 'address' } & ClientNetwork);

/**
 * Rate limits of the API, over HTTP and NATS: per credential and tenant, or per network or NATS user without a
 * credential.
 */
export class ClientLimits {
  readonly #clients: RateLimiter;
  readonly #tenants: RateLimiter;
  readonly #sites: RateLimiter;
  readonly #invalidCredentials: InvalidCredentialLimiter;

  constructor(perSecond: number, buckets: TokenBuckets) {
    this.#clients = new RateLimiter(perSecond, buckets);
    this.#tenants = new RateLimiter(perSecond * CREDENTIALS_PER_TENANT, buckets);
    this.#sites = new RateLimiter(perSecond * NETWORKS_PER_SITE, buckets);
    this.#invalidCredentials = new InvalidCredentialLimiter(perSecond, buckets);
  }

  /** Counts a request, and sets the RateLimit header fields. @throws AppError rate_limited */
  async admit(client: CountedClient, now: number, setHeader?: SetHeader): Promise<void> {
    await this.#clients.admit(nameOf(client), now, setHeader);
    if (client.kind === 'address' && client.site !== null) await this.#sites.admit(client.site, now);
  }

  /**
   * Verifies a credential from a source (a network or a NATS user), and counts the request for its tenant.
   * @throws AppError rate_limited; errors of `verify`
   */
  async verified<T extends { readonly tenant_id: string }>(
    { hash, source }: { readonly hash: string; readonly source: string },
    now: number,
    verify: () => Promise<T>,
  ): Promise<T> {
    this.#invalidCredentials.admit(hash, source, now);
    const found = await verify().catch((error: unknown) => {
      if (errorCode(error) === 'unauthenticated') this.#invalidCredentials.onInvalid(hash, source, now);
      throw error;
    });
    this.#invalidCredentials.onValid(hash);
    await this.#tenants.admit(`tenant:${found.tenant_id}`, now);
    return found;
  }

  /** Counts a body that has been read and decompressed. */
  async chargeBody(client: CountedClient, bytes: number, now: number): Promise<void> {
    const cost = Math.floor(bytes / BYTES_PER_TOKEN);
    if (cost === 0) return;
    await this.#clients.charge(nameOf(client), cost, now);
    if (client.kind === 'address' && client.site !== null) await this.#sites.charge(client.site, cost, now);
  }
}

/** The limits of a process, shared through `shared` if given; null when rate limits are disabled. */
export const clientLimits = (perSecond: number | null, shared: SharedBuckets | null): ClientLimits | null =>
  perSecond === null ? null : new ClientLimits(perSecond, new TokenBuckets(shared));

function nameOf(client: CountedClient): string {
  switch (client.kind) {
    case 'credential':
      return client.hash;
    case 'integrator':
      return `integrator:${client.name}`;
    case 'address':
      return client.network;
  }
}
