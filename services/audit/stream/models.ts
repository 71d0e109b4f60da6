import { type Connection, type Model, Schema } from 'mongoose';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../../lib/keyring';
import {
  durableOptions,
  type Owned,
  ownedFields,
  requiredDate,
  requiredNumber,
  requiredText,
} from '../../../lib/tenant';
import { type AnySealedCollection, sealedCollection } from '../../../mixins/key-rotation';
import { DUE_INDEX, leaseFields } from '../../../mixins/leased-work/fields';
import type { LeaseFields } from '../../../mixins/leased-work/lease';

/** Where the events of a tenant are sent; `_id` is the tenant. The log itself is the queue: `next_seq` is the place in it. */
export interface AuditStreamDoc extends Owned, LeaseFields, Sealed {
  url: string;
  next_seq: number;
  last_sent_at: Date | null;
  failing_since: Date | null;
  error: string | null;
  /** Nothing is sent meanwhile; null: it is. Absent in streams of earlier versions. */
  paused_at?: Date | null;
  created_at: Date;
}

const schema = new Schema<AuditStreamDoc>(
  {
    ...ownedFields,
    ...leaseFields,
    url: requiredText,
    sealed: { type: Buffer, required: true },
    key_id: requiredText,
    next_seq: requiredNumber,
    last_sent_at: { type: Date, default: null },
    failing_since: { type: Date, default: null },
    error: { type: String, default: null },
    paused_at: { type: Date, default: null },
    created_at: requiredDate,
  },
  { ...durableOptions, collection: 'audit_streams' },
)
  .index(...DUE_INDEX)
  .index({ key_id: 1 });

/** The collection of the streams. */
export const streamModel = (db: Connection): Model<AuditStreamDoc> => db.model<AuditStreamDoc>('AuditStream', schema);

const purpose = (tenantId: string): SealPurpose => ({
  purpose: 'everstep audit stream',
  salt: tenantId,
  context: [tenantId, 'secret'],
  what: 'secret of the audit stream',
});

/** Encrypts the secret of a stream with the key of its tenant. */
export const sealSecret = (keyring: Keyring, tenantId: string, secret: string): Sealed =>
  keyring.seal(purpose(tenantId), secret);

/** @throws AppError sealed_unreadable */
export const openSecret = (keyring: Keyring, tenantId: string, stored: StoredSeal): string =>
  keyring.open(purpose(tenantId), stored).toString();

/** Re-encrypts secrets when the master key is rotated. */
export const sealedStreams = (streams: Model<AuditStreamDoc>, keyring: Keyring): AnySealedCollection =>
  sealedCollection<AuditStreamDoc>({
    model: streams,
    keyPath: 'key_id',
    fields: ['sealed', 'key_id'],
    reseal: (stream) => sealSecret(keyring, stream.tenant_id, openSecret(keyring, stream.tenant_id, stream)),
  });
