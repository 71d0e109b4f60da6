import type { JsonObject } from '../../../lib/json';
import type { ScimCall } from './call';

/**
 * The groups of users by the ids of the users, as `groups` of a user lists them (RFC 7643 section 4.1.2), sorted by name. Groups have
 * users alone as members, so each membership is a direct one. `ids`: null for all users.
 */
export async function groupsOf(
  { parts, tenantId, base }: ScimCall,
  ids: readonly string[] | null,
): Promise<ReadonlyMap<string, JsonObject[]>> {
  const byUser = new Map<string, JsonObject[]>();
  if (ids?.length === 0) return byUser;
  const groups = await parts.models.scimGroups.aggregate<{ _id: string; display_name: string; members: string[] }>([
    { $match: { tenant_id: tenantId, ...(ids === null ? {} : { members: { $in: [...ids] } }) } },
    { $sort: { display_name_key: 1 } },
    // Groups may have thousands of members.
    {
      $project: { display_name: 1, members: ids === null ? 1 : { $setIntersection: ['$members', { $literal: ids }] } },
    },
  ]);
  for (const { _id, display_name, members } of groups) {
    const group = { value: _id, $ref: `${base}/Groups/${_id}`, display: display_name, type: 'direct' };
    for (const user of members) {
      const known = byUser.get(user);
      if (known === undefined) byUser.set(user, [group]);
      else known.push(group);
    }
  }
  return byUser;
}
