import { ofTenant } from '../../../lib/tenant';
import type { MappableRole } from '../../../contracts/auth/sso';
import type { AuthModels, UserDoc } from '../models';
import { ofUser } from '../records';
import { findSsoConfig } from '../sso/find-config';
import type { SsoConfigDoc } from '../sso/models';
import { roleFor } from '../sso/roles';
import type { ScimCall } from './call';
import type { ScimGroupDoc } from './models';

const GROUP_NAMES = ['display_name', 'external_id'] as const;
const BATCH = 500;

/** What a role mapping may name a group by: its name, its id at the provider, or its id here. */
const valuesOf = ({
  _id,
  display_name,
  external_id,
}: Pick<ScimGroupDoc, '_id' | 'display_name' | 'external_id'>): string[] => [
  _id,
  display_name,
  ...(external_id === null ? [] : [external_id]),
];

/** The role of a new user. One whom the mapping does not admit yet sees, and changes nothing. */
export const initialRole = (config: Pick<SsoConfigDoc, 'default_role'> | null): MappableRole =>
  config === null ? 'member' : (config.default_role ?? 'viewer');

/** The values of a user's provisioned groups that the mapping knows; none where SCIM says nothing of the role. */
export async function mappedGroupsOf(
  models: AuthModels,
  { tenant_id, role_mapping }: Pick<SsoConfigDoc, 'tenant_id' | 'role_mapping'>,
  userId: string,
): Promise<string[]> {
  if (role_mapping === null) return [];
  const groups = await ofTenant(models.scimGroups, tenant_id).find({ members: userId }, { fields: GROUP_NAMES });
  const known = new Set(role_mapping.values.map(({ value }) => value));
  return groups.flatMap(valuesOf).filter((value) => known.has(value));
}

/** Gives users the roles of their groups. Owners stay owners. Without a mapping nothing changes. */
export async function applyGroupRoles({ parts, tenantId, who }: ScimCall, userIds: readonly string[]): Promise<void> {
  const config = await findSsoConfig(parts.models, tenantId);
  if (config === null || config.role_mapping === null) return;
  const { owners } = await parts.membership.roster(tenantId);
  const users = ofTenant(parts.models.users, tenantId);
  for (let at = 0; at < userIds.length; at += BATCH) {
    const ids = userIds.slice(at, at + BATCH);
    const [found, groups] = await Promise.all([
      users.find({ _id: { $in: ids }, is_service: { $exists: false } }, { fields: ['email', 'role', 'tenant_id'] }),
      ofTenant(parts.models.scimGroups, tenantId).find(
        { members: { $in: ids } },
        { fields: [...GROUP_NAMES, 'members'] },
      ),
    ]);
    const memberships = membershipsOf(groups, new Set(ids));
    for (const user of found) {
      if (owners.includes(user._id)) continue;
      const role = roleFor(config, memberships.get(user._id) ?? []) ?? initialRole(config);
      if (role !== user.role) await setRole({ parts, tenantId, who }, user, role);
    }
  }
}

function membershipsOf(groups: readonly ScimGroupDoc[], ids: ReadonlySet<string>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const group of groups) {
    for (const id of group.members) {
      if (ids.has(id)) values.set(id, [...(values.get(id) ?? []), ...valuesOf(group)]);
    }
  }
  return values;
}

async function setRole(
  { parts, tenantId, who }: Pick<ScimCall, 'parts' | 'tenantId' | 'who'>,
  user: UserDoc,
  role: MappableRole,
): Promise<void> {
  const change = ofUser('member.role', user, { before: { role: user.role }, after: { role, via: 'scim' } });
  await parts.app.audit.audited(who, change, () =>
    ofTenant(parts.models.users, tenantId).update({ _id: user._id }, { $set: { role } }),
  );
  await parts.changed(`auth:user:${user._id}`);
}
