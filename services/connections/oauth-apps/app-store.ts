import type { Model } from 'mongoose';
import { isDuplicateKey, nullOnDuplicate } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../../lib/keyring';
import { ofTenant, type TenantScope } from '../../../lib/tenant';
import { type AnySealedCollection, sealedCollection } from '../../../mixins/key-rotation';
import type { OAuthAppDoc } from '../models';

/** Limit of OAuth apps per tenant. */
const MAX_APPS = 100;

/** Stored OAuth apps. Every query is limited to one tenant. */
export class AppStore {
  constructor(private readonly model: Model<OAuthAppDoc>) {}

  scope(tenantId: string): TenantScope<OAuthAppDoc> {
    return ofTenant(this.model, tenantId);
  }

  /** All of a tenant, sorted by name. */
  all(tenantId: string): Promise<OAuthAppDoc[]> {
    return this.scope(tenantId).find({}, { sort: { name: 1 }, limit: MAX_APPS });
  }

  find(tenantId: string, id: string): Promise<OAuthAppDoc | null> {
    return this.scope(tenantId).findOne({ _id: id });
  }

  /** @throws AppError conflict for a name in use, or at the limit */
  async insert(tenantId: string, app: Omit<OAuthAppDoc, 'tenant_id'>): Promise<OAuthAppDoc> {
    if ((await this.scope(tenantId).count({})) >= MAX_APPS)
      throw new AppError('conflict', `The limit of ${MAX_APPS} OAuth apps is reached; delete one first`);
    const inserted = await nullOnDuplicate(this.scope(tenantId).insert(app));
    if (inserted === null) throw nameInUse(app.name);
    return inserted;
  }

  /** Null when it does not exist. @throws AppError conflict for a name in use */
  async update(tenantId: string, id: string, fields: Partial<OAuthAppDoc>): Promise<OAuthAppDoc | null> {
    try {
      return await this.scope(tenantId).update({ _id: id }, { $set: fields });
    } catch (error) {
      if (isDuplicateKey(error)) throw nameInUse(fields.name ?? '');
      throw error;
    }
  }
}

const nameInUse = (name: string): AppError =>
  new AppError('conflict', `An OAuth app named "${name}" exists; choose another name`);

/** Encrypts client secrets with a key per tenant. An app without a secret has an empty one. */
export class AppSecrets {
  constructor(private readonly keyring: Keyring) {}

  seal(tenantId: string, id: string, secret: string): Sealed {
    return this.keyring.seal(purposeOf(tenantId, id), secret);
  }

  /** @throws AppError sealed_unreadable */
  open({ tenant_id, _id, ...sealed }: Pick<OAuthAppDoc, '_id' | 'tenant_id'> & StoredSeal): string {
    return String(this.keyring.open(purposeOf(tenant_id, _id), sealed));
  }
}

/** Re-encrypts client secrets when the master key is rotated. */
export const sealedApps = (model: Model<OAuthAppDoc>, secrets: AppSecrets): AnySealedCollection =>
  sealedCollection({
    model,
    keyPath: 'key_id',
    fields: ['sealed', 'key_id'],
    reseal: (app) => secrets.seal(app.tenant_id, app._id, secrets.open(app)),
  });

const purposeOf = (tenantId: string, id: string): SealPurpose => ({
  purpose: 'everstep oauth apps',
  salt: tenantId,
  context: [tenantId, id],
  what: `OAuth app ${id}`,
});
