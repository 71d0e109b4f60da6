import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { AuthModels, Identity, TenantDoc, UserDoc } from './models';

/** After this long a registration that has not finished never will: no request lives so long. */
const ABANDONED_AFTER_MS = 15 * 60_000;
const SWEEP_BATCH = 100;

interface Registration {
  slug: string;
  name: string;
  email: string;
  /** Null for one whom an identity provider vouches for. */
  passwordHash: string | null;
  identities?: Identity[];
  emailVerifiedAt?: Date | null;
}

/**
 * Makes a tenant and its owner with two single-document writes. The owner is written first, for a tenant id made
 * beforehand; inserting the tenant is the commit. A crash in between leaves a user that cannot sign in (login goes
 * through the tenant) and the slug free; the other order would burn the slug or leave a tenant without an owner.
 * @throws AppError slug_taken
 */
export async function register(
  models: AuthModels,
  wanted: Registration,
  nowMs: number,
): Promise<{ tenant: TenantDoc; user: UserDoc }> {
  const now = new Date(nowMs);
  const tenant: TenantDoc = {
    _id: randomId(),
    slug: wanted.slug,
    name: wanted.name,
    plan: 'free',
    organization_id: null,
    require_approval: false,
    created_at: now,
    owners: [],
    leaving: [],
    roster_version: 0,
  };
  const user: UserDoc = {
    _id: randomId(),
    tenant_id: tenant._id,
    email: wanted.email,
    role: 'admin',
    password_hash: wanted.passwordHash,
    identities: wanted.identities ?? [],
    email_verified_at: wanted.emailVerifiedAt ?? null,
    sessions_valid_from: null,
    last_sign_in_at: now,
    created_at: now,
    registering_since: now,
  };
  tenant.owners.push(user._id);
  await models.users.create(user);
  try {
    await models.tenants.create(tenant);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await models.users.deleteOne({ _id: user._id });
    throw slugTaken(wanted.slug);
  }
  return { tenant, user };
}

export const slugTaken = (slug: string): AppError =>
  new AppError('slug_taken', `The slug "${slug}" belongs to another tenant; choose a different one`);

/** Says that the user's tenant exists. Losing this write costs a look by the sweep, nothing else. */
export async function confirm(models: AuthModels, userId: string): Promise<void> {
  await models.users.updateOne({ _id: userId }, { $unset: { registering_since: 1 } });
}

/** Finishes what crashed registrations left: confirms users whose tenant exists, removes the others. */
export async function sweepRegistrations(models: AuthModels, nowMs: number): Promise<{ removed: number }> {
  let removed = 0;
  const limit = new Date(nowMs - ABANDONED_AFTER_MS);
  for (;;) {
    const left = await models.users
      .find({ registering_since: { $lt: limit } })
      .limit(SWEEP_BATCH)
      .lean();
    for (const user of left) {
      if ((await models.tenants.exists({ _id: user.tenant_id })) === null) {
        removed += (await models.users.deleteOne({ _id: user._id })).deletedCount;
      } else {
        await confirm(models, user._id);
      }
    }
    if (left.length < SWEEP_BATCH) return { removed };
  }
}
