import { hmac, sha256 } from '../../lib/crypto';
import { canonicalJson, hashJson, type JsonObject } from '../../lib/json';

/** The actor of an event. `email` and `ip` are null when unknown. */
export interface AuditActor {
  readonly type: 'user' | 'api_key' | 'service' | 'anonymous';
  readonly id: string | null;
  readonly email: string | null;
  readonly ip: string | null;
}

/** The object that the action changed. */
export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name?: string;
}

/** An event without its position in the chain. Plain JSON. */
export interface AuditEvent {
  /** UUIDv7: sorting by `id` sorts by time. */
  readonly id: string;
  /** RFC 3339; the time that `id` contains. */
  readonly at: string;
  readonly actor: AuditActor;
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null };
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** `failed`: the action of the event `refers_to` failed. Null: the action was started. */
  readonly outcome: 'failed' | null;
  readonly refers_to: string | null;
  readonly request_id: string;
}

/** Position and hash of an event: the end of a chain, or of a part of it. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

/** The link before the first event of a chain. */
export const GENESIS: Link = { seq: 0, hash: '' };

/** An event with its position in the chain. */
export interface ChainedEvent extends AuditEvent {
  readonly seq: number;
  readonly prev_hash: string;
  /** SHA-256 of the canonical JSON of the tenant and all other fields; computed without a key. */
  readonly hash: string;
}

/** Appends an event to a link. */
export function chained(tenant: string, event: AuditEvent, prev: Link): ChainedEvent {
  const placed = { ...event, seq: prev.seq + 1, prev_hash: prev.hash };
  return { ...placed, hash: hashOf(tenant, placed) };
}

/** The expected hash of an event. */
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

/** MAC of an event's hash. It proves that the writer had the key; the hash can be computed without it. */
export const eventMac = (key: Buffer, hash: string): string => hmac(key, `event:${hash}`).toString('hex');

/** MAC of a chain's head. It proves that the tenant's chain has reached this event. */
export const headMac = (key: Buffer, tenant: string, { seq, hash }: Link): string =>
  hmac(key, `head:${canonicalJson({ tenant, seq, hash })}`).toString('hex');

/** Index terms of an event. The term of a topic ends with a dot: `action:workflow.`. */
export function wordsOf({ action, actor, target }: Pick<AuditEvent, 'action' | 'actor' | 'target'>): string[] {
  const words = [`action:${action}`, `target:${target.id}`];
  const dot = action.indexOf('.');
  if (dot > 0) words.push(`action:${action.slice(0, dot + 1)}`);
  if (actor.id !== null) words.push(`actor:${actor.id}`);
  if (actor.email !== null) words.push(`actor:${actor.email.toLowerCase()}`);
  return words;
}

const MAX_VALUE_BYTES = 16 * 1024;
const SECRET = /pass(?:word|phrase)|secret|token|api_?key|private_?key|credential|authorization|cookie/i;
const MASK = '********';

/**
 * The state as it may be stored: members whose names look like secrets are masked as a second safeguard, and a large
 * state is replaced by its size and SHA-256.
 */
export function recordable(state: JsonObject | null | undefined): JsonObject | null {
  if (state === undefined || state === null) return null;
  // Serialized and parsed, so that the hashed value equals the value that is read later.
  const text = JSON.stringify(state, (key, value: unknown) =>
    SECRET.test(key) && typeof value !== 'boolean' && value !== null ? MASK : value,
  );
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_VALUE_BYTES) return { too_large: true, bytes, sha256: sha256(text) };
  return JSON.parse(text) as JsonObject;
}
