import { ofTenant } from '../../lib/tenant';
import { authModels, type TenantDoc, type UserDoc } from './models';
import { acting, type OperatorDeps, tenantOf } from './operator-tools';
import { hasProvenEmail } from './organizations/ownership';
import { ofUser } from './records';
import { roleOf } from './team/membership';

interface Account {
  readonly tenant: TenantDoc;
  readonly user: UserDoc;
}

/** The outcome of a confirmation. */
interface Confirmed {
  readonly slug: string;
  /** False when it was confirmed before. */
  readonly isNew: boolean;
  /** Whether it proves who owns the address: an identity provider of the tenant could sign in as well. */
  readonly isProof: boolean;
}

/**
 * Confirms the e-mail address of an account without a mail, with the audit event of a confirmation by its link. Without a slug the
 * account has to be the only one with the address, and for an operator's address a slug is required: otherwise the account of
 * another person who has registered with it would be confirmed.
 * @throws Error without such an account, or where the workspace has to be named
 */
export async function confirmEmail(
  parts: OperatorDeps,
  { email, slug, operators }: { email: string; slug: string | undefined; operators: readonly string[] },
): Promise<Confirmed> {
  const address = email.toLowerCase();
  const { tenant, user } = await accountOf(parts, address, slug, operators.includes(address));
  const isNew = user.email_verified_at === null;
  if (isNew)
    await parts.audit.audited(acting(tenant._id), ofUser('email.verify', user), async () => {
      // The person who runs this answers for the owner of the account, so all that the account has made stays valid.
      const set = { email_verified_at: new Date(parts.now), credentials_valid_from: user.created_at };
      const users = ofTenant(authModels(parts.db).users, tenant._id);
      await users.update({ _id: user._id, email_verified_at: null }, { $set: set });
    });
  return { slug: tenant.slug, isNew, isProof: hasProvenEmail({ ...user, email_verified_at: new Date(parts.now) }) };
}

async function accountOf(
  parts: OperatorDeps,
  email: string,
  slug: string | undefined,
  isOperator: boolean,
): Promise<Account> {
  const accounts = slug === undefined ? await allAccounts(parts, email) : await accountsIn(parts, email, slug);
  const [account, ...others] = accounts;
  if (account === undefined)
    throw new Error(`${slug === undefined ? 'No workspace has a' : `${slug} has no`} member with the address ${email}`);
  if (slug !== undefined || (others.length === 0 && !isOperator)) return account;
  const why = isOperator ? 'is in OPERATORS' : `has ${accounts.length} accounts`;
  throw new Error(`${email} ${why}: name the workspace of the account, one of\n${accounts.map(lineOf).join('\n')}`);
}

async function allAccounts({ db }: OperatorDeps, email: string): Promise<Account[]> {
  const { users, tenants } = authModels(db);
  const found = await users.find({ email, registering_since: { $exists: false } }).lean();
  const theirs = await tenants.find({ _id: { $in: found.map(({ tenant_id }) => tenant_id) } }).lean();
  return found.flatMap((user) => {
    const tenant = theirs.find(({ _id }) => _id === user.tenant_id);
    return tenant === undefined || tenant.leaving.includes(user._id) ? [] : [{ tenant, user }];
  });
}

async function accountsIn(parts: OperatorDeps, email: string, slug: string): Promise<Account[]> {
  const tenant = await tenantOf(parts, slug);
  return (await allAccounts(parts, email)).filter(({ user }) => user.tenant_id === tenant._id);
}

/** `  acme  owner, made 2026-11-21, last sign-in 2026-11-28` */
function lineOf({ tenant, user }: Account): string {
  const day = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? 'never';
  return `  ${tenant.slug}  ${roleOf(tenant, user)}, made ${day(user.created_at)}, last sign-in ${day(user.last_sign_in_at)}`;
}
