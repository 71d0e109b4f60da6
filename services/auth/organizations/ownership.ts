import { errorCode } from '../../../lib/errors';
import type { AuthDeps } from '../deps';
import type { UserDoc } from '../models';
import { roleOf } from '../team/membership';

/** The caller and the optional proof. */
interface Claimant {
  readonly tenantId: string;
  readonly userId: string;
  /** A token or API key of an owner of the other tenant. */
  readonly ownerToken: string | undefined;
}

/**
 * True if the caller also owns another tenant. Accounts belong to tenants, so this needs a proof that both accounts belong
 * to the same user: a credential of the other account, or the same e-mail address, confirmed by mail in both.
 */
export async function ownsTenant(deps: AuthDeps, claimant: Claimant, otherTenantId: string): Promise<boolean> {
  return claimant.ownerToken === undefined
    ? ownsByEmail(deps, claimant, otherTenantId)
    : ownsByToken(deps, claimant.ownerToken, otherTenantId);
}

async function ownsByToken({ credentials }: AuthDeps, token: string, tenantId: string): Promise<boolean> {
  try {
    const verified = await credentials.verify(token);
    return verified.tenant_id === tenantId && verified.role === 'owner';
  } catch (fault) {
    if (errorCode(fault) === 'unauthenticated') return false;
    throw fault;
  }
}

async function ownsByEmail({ models }: AuthDeps, claimant: Claimant, tenantId: string): Promise<boolean> {
  const own = await models.users.findOne({ _id: claimant.userId, tenant_id: claimant.tenantId }).lean();
  if (own === null || !hasProvenEmail(own)) return false;
  const [tenant, other] = await Promise.all([
    models.tenants.findById(tenantId).lean(),
    models.users.findOne({ tenant_id: tenantId, email: own.email }).lean(),
  ]);
  return tenant !== null && other !== null && hasProvenEmail(other) && roleOf(tenant, other) === 'owner';
}

/** Accounts with an identity of a tenant's own provider do not count, because that provider can sign in as any user of its tenant. */
export const hasProvenEmail = (user: UserDoc): boolean =>
  user.email_verified_at !== null && user.identities.every(({ via }) => via === 'suite');
