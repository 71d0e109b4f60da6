import { errorCode } from '../../../lib/errors';
import type { AuthParts } from '../parts';
import type { UserDoc } from '../models';
import { roleOf } from '../team/membership';

/** Who asks, and what he shows. */
interface Claimant {
  readonly tenantId: string;
  readonly userId: string;
  /** A token or API key of an owner of the other tenant. */
  readonly ownerToken: string | undefined;
}

/**
 * Whether the caller owns another tenant, too. Accounts belong to tenants, so it takes a proof that both are one person's:
 * a credential of the other account, or the same e-mail address, confirmed in both by mail.
 */
export async function ownsToo(parts: AuthParts, claimant: Claimant, otherTenantId: string): Promise<boolean> {
  return claimant.ownerToken === undefined
    ? ownsByAddress(parts, claimant, otherTenantId)
    : ownsByToken(parts, claimant.ownerToken, otherTenantId);
}

async function ownsByToken({ credentials }: AuthParts, token: string, tenantId: string): Promise<boolean> {
  try {
    const verified = await credentials.verify(token);
    return verified.tenant_id === tenantId && verified.role === 'owner';
  } catch (fault) {
    if (errorCode(fault) === 'unauthenticated') return false;
    throw fault;
  }
}

async function ownsByAddress({ models }: AuthParts, claimant: Claimant, tenantId: string): Promise<boolean> {
  const own = await models.users.findOne({ _id: claimant.userId, tenant_id: claimant.tenantId }).lean();
  if (own === null || !isProven(own)) return false;
  const [tenant, other] = await Promise.all([
    models.tenants.findById(tenantId).lean(),
    models.users.findOne({ tenant_id: tenantId, email: own.email }).lean(),
  ]);
  return tenant !== null && other !== null && isProven(other) && roleOf(tenant, other) === 'owner';
}

/** A tenant's own identity provider can sign in as any of its users, so an account that it vouches for proves nothing elsewhere. */
const isProven = (user: UserDoc): boolean =>
  user.email_verified_at !== null && user.identities.every(({ via }) => via === 'suite');
