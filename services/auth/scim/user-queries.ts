import { requiredText } from './evaluate';
import type { Asked } from './resource';

export const OLDEST_FIRST = { sort: { created_at: 1, _id: 1 } } as const;
/** What a resource consists of: records have more. */
export const FIELDS = ['email', 'role', 'scim', 'deactivated_at', 'created_at'];
/** Attributes by which users are sorted. */
export const SORTABLE = [
  'id',
  'externalid',
  'username',
  'displayname',
  'name.formatted',
  'name.familyname',
  'name.givenname',
  'active',
  'emails',
  'roles',
  'meta.created',
  'meta.lastmodified',
] as const;

/** Members that are users: no service accounts, and none whose registration has not finished. */
export const PERSONS = { is_service: { $exists: false }, registering_since: { $exists: false } } as const;

/** Of a filter what an index can find, so that the usual look-up reads one record. */
export function narrowed({ filter }: Asked): object {
  if (filter === null) return {};
  const name = requiredText(filter, 'username')?.toLowerCase();
  const externalId = requiredText(filter, 'externalid');
  const email = requiredText(filter, 'emails')?.toLowerCase();
  return {
    ...(name === undefined ? {} : { $or: [{ 'scim.user_name_key': name }, { email: name }] }),
    ...(externalId === null ? {} : { 'scim.external_id': externalId }),
    ...(email === undefined ? {} : { email }),
  };
}
