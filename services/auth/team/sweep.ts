import type { AuthModels } from '../models';
import type { Membership } from './membership';

const BATCH = 100;

/** Finishes removals that were interrupted after their first write. */
export async function sweepLeaving(models: AuthModels, membership: Membership): Promise<void> {
  for (;;) {
    const left = await models.tenants
      .find({ leaving: { $gt: '' } }, { leaving: 1 })
      .limit(BATCH)
      .lean();
    for (const tenant of left) await membership.finishLeaving(tenant._id, tenant.leaving);
    if (left.length < BATCH) return;
  }
}

/** Migrates tenants of versions that stored the owner role only in user records. */
export async function nameOwners(models: AuthModels): Promise<void> {
  const unnamed = { owners: { $exists: false } };
  // Finds them by an indexed field, so that the cost of a start does not grow with the number of tenants.
  for await (const { _id } of models.tenants.find({ roster_version: null, ...unnamed }, { _id: 1 }).lean()) {
    const formerly = await models.users.collection.find({ tenant_id: _id, role: 'owner' }).toArray();
    await models.users.updateMany(
      { tenant_id: _id, identities: { $exists: false } },
      { $set: { identities: [], email_verified_at: null, sessions_valid_from: null, last_sign_in_at: null } },
    );
    const owners = formerly.map((user) => String(user._id));
    await models.tenants.updateOne({ _id, ...unnamed }, { $set: { owners, leaving: [], roster_version: 0 } });
    await models.users.updateMany({ _id: { $in: owners } }, { $set: { role: 'admin' } });
  }
}
