import { hmac, sha256 } from '../../lib/crypto';
import { canonicalJson, hashJson, type JsonObject } from '../../lib/json';

/** Who did it. `email` and `ip` as far as they are known. */
export interface AuditActor {
  readonly type: 'user' | 'api_key' | 'service' | 'anonymous';
  readonly id: string | null;
  readonly email: string | null;
  readonly ip: string | null;
}

/** What it was done to. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
}

/** What an event says, apart from its place in the chain. Plain JSON. */
export interface AuditEvent {
  /** UUIDv7: events of a tenant sort by it as they sort by time. */
  readonly id: string;
  /** RFC 3339, the time within `id`. */
  readonly at: string;
  readonly actor: AuditActor;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** `failed`: what the event `refers_to` announces has not happened. Null: nothing more is known than what was begun. */
  readonly outcome: 'failed' | null;
  readonly refers_to: string | null;
  readonly request_id: string;
}

/** The end of a chain, or of a part of it. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** What the first event of a chain follows. */
export const GENESIS: Link = { seq: 0, hash: '' };

/** An event in its place. */
export interface ChainedEvent extends AuditEvent {
  readonly seq: number;
  readonly prev_hash: string;
  /** SHA-256 of the canonical JSON of everything else and the tenant; anybody can compute it. */
  readonly hash: string;
}

/** The event as the one that follows a link. */
export function chained(tenant: string, event: AuditEvent, prev: Link): ChainedEvent {
  const placed = { ...event, seq: prev.seq + 1, prev_hash: prev.hash };
  return { ...placed, hash: hashOf(tenant, placed) };
}

/** The hash that an event must have where it stands. */
export function hashOf(tenant: string, event: Omit<ChainedEvent, 'hash'>): string {
  const { seq, id, at, actor, action, target, before, after, outcome, refers_to, request_id, prev_hash } = event;
  return hashJson({
    tenant,
    seq,
    id,
    at,
    actor: { ...actor },
    action,
    target: { ...target },
    before,
    after,
    outcome,
    refers_to,
    request_id,
    prev_hash,
  });
}

/** Proves that a holder of the key has written an event with that hash; hashes alone could be computed by anybody. */
export const eventMac = (key: Buffer, hash: string): string => hmac(key, `event:${hash}`).toString('hex');

/** Proves that the chain of a tenant has once reached so far. */
export const headMac = (key: Buffer, tenant: string, { seq, hash }: Link): string =>
  hmac(key, `head:${canonicalJson({ tenant, seq, hash })}`).toString('hex');

/** The words under which an event is found. A topic ends with its dot: `action:workflow.`. */
export function wordsOf({ action, actor, target }: Pick<AuditEvent, 'action' | 'actor' | 'target'>): string[] {
  const words = [`action:${action}`, `target:${target.id}`];
  const dot = action.indexOf('.');
  if (dot > 0) words.push(`action:${action.slice(0, dot + 1)}`);
  if (actor.id !== null) words.push(`actor:${actor.id}`);
  if (actor.email !== null) words.push(`actor:${actor.email.toLowerCase()}`);
  return words;
}

const MOST_BYTES = 16 * 1024;
const SECRET = /pass(?:word|phrase)|secret|token|api_?key|private_?key|credential|authorization|cookie/i;
const MASK = '********';

/**
 * What of a state may be kept: members that are named like a secret are masked, whoever forgot to leave them out, and
 * what is large is kept as its size and SHA-256.
 */
export function recordable(state: JsonObject | null | undefined): JsonObject | null {
  if (state === undefined || state === null) return null;
  // Through its text, so that what is hashed now is what will be read back.
  const text = JSON.stringify(state, (key, value: unknown) =>
    SECRET.test(key) && typeof value !== 'boolean' && value !== null ? MASK : value,
  );
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) return { too_large: true, bytes, sha256: sha256(text) };
  return JSON.parse(text) as JsonObject;
}
