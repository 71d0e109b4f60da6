import { createHmac, timingSafeEqual } from 'node:crypto';
import { createCache } from './cache';
import { isObject } from './json';
import type { KeyScope } from './key-scopes';
import { type Role } from './roles';

/**
 * On whose behalf a call is made, as one service signs it for another. `service`: a service that acts for a tenant on
 * its own (a webhook, a timer); only it may call internal actions.
 */
export interface Principal {
  readonly kind: 'user' | 'api_key' | 'service';
  readonly tenant_id: string;
  /** Null for a service. */
  readonly user_id: string | null;
  readonly email: string | null;
  readonly role: Role | 'service';
  /** Of an API key; absent: all that the role allows. The role is at most what the scope allows. */
  readonly scope?: KeyScope;
  /** The role of the key's user; absent where the scope does not lower it. Rights on folders follow it. */
  readonly user_role?: Role;
  /** The session of a user's token. */
  readonly session_id?: string;
  /** A user who has to set up the second factor that the tenant requires, and may do nothing else. */
  readonly must_enrol?: boolean;
  /** The tenant is suspended: its members only read. */
  readonly suspended?: boolean;
  /** A user of OPERATORS, by a session of its own; see services/auth/operators.ts. */
  readonly operator?: boolean;
  /** Epoch seconds; short-lived, since roles change. */
  readonly exp: number;
}

/** Tenant of services that act before the tenant is known. It owns nothing. */
export const NO_TENANT = '';

const LIFETIME_SECONDS = 120;
const CACHE_SIZE = 5_000;

/** Signs and verifies principals with the key that all services share. */
export class Principals {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #verified = createCache<Principal>({ max: CACHE_SIZE });
  readonly #issued = createCache<{ text: string; renewAt: number }>({ max: CACHE_SIZE });

  /** Signs with the first key and accepts any of them. */
  constructor(key: Buffer, others: readonly Buffer[] = []) {
    this.#keys = [key, ...others];
  }

  /** `payload.mac` in base64url. */
  sign(principal: Omit<Principal, 'exp'>, nowMs: number): string {
    const exp = Math.floor(nowMs / 1_000) + LIFETIME_SECONDS;
    const payload = Buffer.from(JSON.stringify({ ...principal, exp })).toString('base64url');
    return `${payload}.${mac(this.#keys[0], payload).toString('base64url')}`;
  }

  /** The principal of a service acting for a tenant; re-signed at half its lifetime. */
  forTenant(tenantId: string, nowMs: number): string {
    const known = this.#issued.get(tenantId);
    if (known !== undefined && known.renewAt > nowMs) return known.text;
    const text = this.sign(
      { kind: 'service', tenant_id: tenantId, user_id: null, email: null, role: 'service' },
      nowMs,
    );
    this.#issued.set(tenantId, { text, renewAt: nowMs + (LIFETIME_SECONDS * 1_000) / 2 });
    return text;
  }

  /** The principal of a signed text; null when it is forged, expired or malformed. */
  verify(text: unknown, nowMs: number): Principal | null {
    if (typeof text !== 'string') return null;
    const principal = this.#verified.get(text) ?? this.#open(text);
    return principal !== null && principal.exp * 1_000 > nowMs ? principal : null;
  }

  #open(text: string): Principal | null {
    const dot = text.indexOf('.');
    const payload = text.slice(0, dot);
    const given = Buffer.from(text.slice(dot + 1), 'base64url');
    if (dot < 1 || !this.#keys.some((key) => isMac(given, mac(key, payload)))) return null;
    const content: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (!isObject(content)) return null;
    // The MAC is valid, so `sign` wrote the content.
    const principal = Object.freeze(content) as unknown as Principal;
    this.#verified.set(text, principal);
    return principal;
  }
}

const mac = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

const isMac = (given: Buffer, wanted: Buffer): boolean =>
  given.length === wanted.length && timingSafeEqual(given, wanted);
