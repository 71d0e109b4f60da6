import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { KeyScope } from '../../../lib/key-scopes';
import type { Principal } from '../../../lib/principal';
import { isBelow } from '../../../lib/roles';
import { auditedBy } from '../../../mixins/audit';
import type { ApiKeyView } from '../../../contracts/auth/accounts';
import type { Handlers } from '../../../mixins/service';
import { type AuthDeps, person } from '../deps';
import { expiryOf } from '../expiry';
import type { ApiKeyDoc } from '../models';
import { apiKeyView } from '../views';
import { pageOf } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';

const KEY_NOTE = 'Keep this key now: it is shown once and cannot be retrieved later.';
const DEFAULT_OVERLAP_SECONDS = 86_400;

type Actions = Pick<Handlers<'auth'>, 'create_api_key' | 'list_api_keys' | 'rotate_api_key' | 'revoke_api_key'>;

/** Long-lived credentials of users and service accounts. */
export const apiKeyActions = (parts: AuthDeps): Actions => ({
  async create_api_key(ctx) {
    const by = person(ctx.principal);
    const { name, scope = 'admin', expires_at, service_account_id: forService = null } = ctx.params;
    assertMayManage(by);
    assertMayProvision(by, scope);
    const userId = forService === null ? by.user_id : await serviceAccount(parts, by, forService);
    const expiresAt = expiryOf(expires_at, parts.app.clock.now());
    const id = randomId();
    const change = {
      action: 'api_key.create',
      target: { type: 'api_key', id, name },
      after: { user: userId, scope, expires_at: expiresAt?.toISOString() ?? null },
    };
    const wanted = { id, tenantId: by.tenant_id, userId, createdBy: by.user_id, name, scope, expiresAt };
    const { stored, key } = await parts.app.audit.audited(auditedBy(ctx), change, () => parts.apiKeys.create(wanted));
    return { ...(await shown(parts, stored)), key, note: KEY_NOTE };
  },
  async list_api_keys({ params, principal }) {
    const page = pageOf(params);
    const by = person(principal);
    return { data: await allShown(parts, by.tenant_id, await parts.apiKeys.list(by, page)), ...page };
  },
  async rotate_api_key(ctx) {
    const by = person(ctx.principal);
    assertMayManage(by);
    const { id, expires_at, overlap_seconds: overlap = DEFAULT_OVERLAP_SECONDS } = ctx.params;
    const before = await parts.apiKeys.get(by, id);
    assertMayProvision(by, before.scope);
    const now = parts.app.clock.now();
    const expiresAt = expires_at === undefined ? renewedExpiry(before, now) : expiryOf(expires_at, now);
    const validUntil = new Date(now + overlap * 1_000);
    const change = {
      action: 'api_key.rotate',
      target: { type: 'api_key', id, name: before.name },
      before: { expires_at: before.expires_at?.toISOString() ?? null },
      after: { expires_at: expiresAt?.toISOString() ?? null, previous_valid_until: validUntil.toISOString() },
    };
    const { stored, key } = await parts.app.audit.audited(auditedBy(ctx), change, () =>
      parts.apiKeys.rotate(before, { expiresAt, validUntil }),
    );
    await parts.changed(`auth:key:${id}`);
    return { ...(await shown(parts, stored)), key, note: KEY_NOTE };
  },
  async revoke_api_key(ctx) {
    const by = person(ctx.principal);
    assertMayManage(by);
    const { _id: id, name, user_id } = await parts.apiKeys.get(by, ctx.params.id);
    const change = { action: 'api_key.revoke', target: { type: 'api_key', id, name }, before: { user: user_id } };
    await parts.app.audit.audited(auditedBy(ctx), change, () => parts.apiKeys.revoke(by, id));
    await parts.changed(`auth:key:${id}`);
  },
});

/** A key that may not do all that its user may makes and changes no keys: they could do more. @throws AppError forbidden */
function assertMayManage({ scope = 'admin' }: Principal): void {
  if (scope !== 'admin')
    throw new AppError(
      'forbidden',
      `The scope of this API key, ${scope}, does not allow to change keys: use a key with the scope admin`,
    );
}

/** By SCIM one changes roles and removes members, as owners do. @throws AppError forbidden */
function assertMayProvision({ role }: Principal, scope: KeyScope | undefined): void {
  if (scope === 'scim' && isBelow(role, 'owner'))
    throw new AppError('forbidden', `Only an owner makes and rotates keys with the scope scim; your role is ${role}`);
}

/** The id of a service account for which the caller may make keys. @throws AppError forbidden, not_found */
async function serviceAccount({ membership }: AuthDeps, by: Principal, id: string): Promise<string> {
  if (isBelow(by.role, 'admin'))
    throw new AppError(
      'forbidden',
      'Only an admin or owner makes keys for a service account: leave out "service_account_id"',
    );
  const found = await membership.find(by.tenant_id, id);
  if (found === null || found.user.is_service !== true)
    throw new AppError('not_found', 'There is no such service account: GET /api/v1/team/members lists them');
  return id;
}

/** The same time to live again, from now on. */
function renewedExpiry(
  { created_at, rotated_at = created_at, expires_at = null }: ApiKeyDoc,
  now: number,
): Date | null {
  return expires_at === null ? null : new Date(now + expires_at.getTime() - rotated_at.getTime());
}

/** A key with the name of its user. */
async function shown({ models }: AuthDeps, key: ApiKeyDoc): Promise<ApiKeyView> {
  return apiKeyView(key, await ofTenant(models.users, key.tenant_id).findOne({ _id: key.user_id }));
}

/** The same for many. */
async function allShown({ models }: AuthDeps, tenantId: string, keys: readonly ApiKeyDoc[]): Promise<ApiKeyView[]> {
  const ids = [...new Set(keys.map(({ user_id }) => user_id))];
  const users = await ofTenant(models.users, tenantId).find({ _id: { $in: ids } }, { fields: ['email', 'is_service'] });
  const byId = new Map(users.map((user) => [user._id, user]));
  return keys.map((key) => apiKeyView(key, byId.get(key.user_id) ?? null));
}
