import { type Connection, type Model, Schema } from 'mongoose';
import type { JsonObject } from '../../lib/json';
import { type Owned, durableOptions, ownedFields, requiredText, optionalText, requiredNumber } from '../../lib/tenant';
import type { AuditEvent, ChainedEvent, Link } from './event';

/**
 * An event as stored. `before` and `after` are JSON text, because users choose their keys. `_id` is the position in the
 * chain, so that the primary key allows one writer per position.
 */
export interface AuditRecord extends Owned, Omit<ChainedEvent, 'before' | 'after'> {
  before: string | null;
  after: string | null;
  mac: string;
  /** Index terms, derived from the event. */
  words: string[];
}

/** The last event of a tenant's chain; it may lag behind. `_id` is the tenant. */
export interface HeadRecord extends Link {
  _id: string;
  mac: string;
}

const part = (fields: Record<string, object>): Schema => new Schema(fields, { _id: false });

const eventSchema = new Schema<AuditRecord>(
  {
    ...ownedFields,
    seq: requiredNumber,
    id: requiredText,
    at: requiredText,
    actor: part({ type: requiredText, id: optionalText, email: optionalText, ip: optionalText }),
    action: requiredText,
    target: part({ type: requiredText, id: requiredText, name: optionalText }),
    before: optionalText,
    after: optionalText,
    outcome: optionalText,
    refers_to: optionalText,
    request_id: { type: String, default: '' },
    prev_hash: { type: String, default: '' },
    hash: requiredText,
    mac: requiredText,
    words: [String],
  },
  { ...durableOptions, id: false, collection: 'audit_events' },
)
  // Lists the newest events first, and makes ids unique.
  .index({ tenant_id: 1, id: -1 }, { unique: true })
  .index({ tenant_id: 1, words: 1, id: -1 });

const headSchema = new Schema<HeadRecord>(
  { _id: requiredText, seq: requiredNumber, hash: { type: String, default: '' }, mac: requiredText },
  { ...durableOptions, collection: 'audit_heads' },
);

export interface AuditModels {
  readonly events: Model<AuditRecord>;
  readonly heads: Model<HeadRecord>;
}

/** The collections of the log. Only this folder writes them, and only the audit service reads them. */
export const auditModels = (db: Connection): AuditModels => ({
  events: db.models.audit_event ?? db.model<AuditRecord>('audit_event', eventSchema),
  heads: db.models.audit_head ?? db.model<HeadRecord>('audit_head', headSchema),
});

/** The `_id` of a position. Ids sort as texts; 16 digits hold every safe integer. */
export const placeOf = (tenant: string, seq: number): string => `${tenant}:${String(seq).padStart(16, '0')}`;

/** Range of the ids of a tenant's chain. */
export const placesOf = (tenant: string): { $gt: string; $lt: string } => ({ $gt: `${tenant}:`, $lt: `${tenant};` });

/** The event of a record. */
export const eventOf = (record: AuditRecord): ChainedEvent => ({
  seq: record.seq,
  id: record.id,
  at: record.at,
  actor: record.actor,
  action: record.action,
  target: record.target,
  before: stateOf(record.before),
  after: stateOf(record.after),
  outcome: record.outcome,
  refers_to: record.refers_to,
  request_id: record.request_id,
  prev_hash: record.prev_hash,
  hash: record.hash,
});

/** A state as stored text. */
export const stateText = (state: AuditEvent['before']): string | null =>
  state === null ? null : JSON.stringify(state);

const stateOf = (stored: string | null): JsonObject | null =>
  stored === null ? null : (JSON.parse(stored) as JsonObject);
