import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../lib/json';

/** Roles of people, weakest first. */
export const ROLES = ['member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Who a call acts for, as one service vouches for it to another. `service` is a service acting for a tenant on its
 * own account (a webhook, a timer); it alone may call internal actions.
 */
export interface Principal {
  readonly kind: 'user' | 'api_key' | 'service';
  readonly tenant_id: string;
  /** Null for a service. */
  readonly user_id: string | null;
  readonly email: string | null;
  readonly role: Role | 'service';
  /** Epoch seconds; a vouching is short-lived, since roles change. */
  readonly exp: number;
}

/** For services that act before they know for whom: it owns nothing. */
export const NO_TENANT = '';

const LIFETIME_SECONDS = 120;
const CACHE_SIZE = 5_000;

/** Signs and verifies principals under the key that all services of a deployment share. */
export class Principals {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #verified = new Map<string, Principal>();
  readonly #issued = new Map<string, { text: string; renewAt: number }>();

  /** Signs under the first key; what was signed under one of the others is taken as well. */
  constructor(key: Buffer, others: readonly Buffer[] = []) {
    this.#keys = [key, ...others];
  }

  /** `payload.mac` in base64url: compact, and opaque to whoever passes it on. */
  sign(principal: Omit<Principal, 'exp'>, nowMs: number): string {
    const exp = Math.floor(nowMs / 1_000) + LIFETIME_SECONDS;
    const payload = Buffer.from(JSON.stringify({ ...principal, exp })).toString('base64url');
    return `${payload}.${mac(this.#keys[0], payload).toString('base64url')}`;
  }

  /** The principal of a service acting for a tenant, signed anew at half its lifetime. */
  forTenant(tenantId: string, nowMs: number): string {
    const known = this.#issued.get(tenantId);
    if (known !== undefined && known.renewAt > nowMs) return known.text;
    const text = this.sign(
      { kind: 'service', tenant_id: tenantId, user_id: null, email: null, role: 'service' },
      nowMs,
    );
    remember(this.#issued, tenantId, { text, renewAt: nowMs + (LIFETIME_SECONDS * 1_000) / 2 });
    return text;
  }

  /** The principal that a text vouches for; null when it is forged, expired or no such text at all. */
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
    // The MAC has been checked, so the content is what `sign` wrote.
    const principal = Object.freeze(content) as unknown as Principal;
    remember(this.#verified, text, principal);
    return principal;
  }
}

const mac = (key: Buffer, payload: string): Buffer => createHmac('sha256', key).update(payload).digest();

const isMac = (given: Buffer, wanted: Buffer): boolean =>
  given.length === wanted.length && timingSafeEqual(given, wanted);

function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string);
  cache.set(key, value);
}
