import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { Role } from '../../../lib/roles';
import type { UserDoc } from '../models';
import { normalizeAddress } from '../sso/authenticated-user';
import { invalidValue } from './errors';
import { booleanOf, valueOf } from './evaluate';
import type { ScimProfile } from './models';
import type { Shape } from './patch';

export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User';
const MAX_TEXT_CHARS = 300;
const MAX_EMAILS = 20;

/** The attributes of a user that a client may set. */
export const USER_SHAPE: Shape = {
  attributes: {
    username: 'userName',
    externalid: 'externalId',
    displayname: 'displayName',
    name: 'name',
    active: 'active',
    emails: 'emails',
  },
  lists: new Set(['emails']),
  keyed: new Set(),
  objects: new Set(['name']),
  parts: {
    formatted: 'formatted',
    familyname: 'familyName',
    givenname: 'givenName',
    value: 'value',
    type: 'type',
    primary: 'primary',
  },
  readOnly: new Set(['id', 'meta', 'schemas', 'roles', 'groups']),
};

/** What a client says of a user. */
export interface UserInput {
  readonly profile: Omit<ScimProfile, 'updated_at'>;
  readonly email: string;
  /** Null: it says nothing of it. */
  readonly active: boolean | null;
}

/** A user as a SCIM resource, without what depends on the address of the service. */
export function userResource(user: UserDoc, role: Role, groups: JsonObject[]): JsonObject {
  const { scim } = user;
  const name = {
    ...textMember('formatted', scim?.formatted),
    ...textMember('familyName', scim?.family_name),
    ...textMember('givenName', scim?.given_name),
  };
  return {
    schemas: [USER_URN],
    id: user._id,
    ...textMember('externalId', scim?.external_id),
    userName: scim?.user_name ?? user.email,
    ...(Object.keys(name).length === 0 ? {} : { name }),
    ...textMember('displayName', scim?.display_name),
    active: user.deactivated_at === undefined,
    emails: [{ value: user.email, type: 'work', primary: true }],
    roles: [{ value: role, primary: true }],
    groups,
  };
}

export const textMember = (name: string, text: string | null | undefined): JsonObject =>
  text === null || text === undefined ? {} : { [name]: text };

/** Reads a resource of a client. @throws ScimError invalidValue */
export function parseUser(given: unknown): UserInput {
  if (!isObject(given)) throw invalidValue('The body must be an object');
  const userName = textOf(given, 'userName')?.trim();
  if (userName === undefined || userName === '') throw invalidValue("'userName' is required");
  const activeGiven = valueOf(given, 'active');
  const active = activeGiven === undefined || activeGiven === null ? null : booleanOf(activeGiven);
  if (activeGiven !== undefined && activeGiven !== null && active === null)
    throw invalidValue("'active' must be true or false");
  const name = valueOf(given, 'name') ?? {};
  if (!isObject(name)) throw invalidValue("'name' must be an object");
  return {
    email: emailOf(valueOf(given, 'emails'), userName),
    active,
    profile: {
      user_name: userName,
      user_name_key: userName.toLowerCase(),
      external_id: textOf(given, 'externalId') ?? null,
      display_name: textOf(given, 'displayName') ?? null,
      given_name: textOf(name, 'givenName') ?? null,
      family_name: textOf(name, 'familyName') ?? null,
      formatted: textOf(name, 'formatted') ?? null,
    },
  };
}

/** A text of a resource; undefined when it is left out or empty. @throws ScimError invalidValue */
export function textOf(given: unknown, name: string): string | undefined {
  const value = valueOf(given, name.toLowerCase());
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARS)
    throw invalidValue(`'${name}' must be a text of at most ${MAX_TEXT_CHARS} characters`);
  return value;
}

/** The primary address, else the one at work, else the first, else the user name. @throws ScimError invalidValue */
function emailOf(emails: unknown, userName: string): string {
  const listed = emails === undefined || emails === null ? [] : emails;
  if (!Array.isArray(listed) || listed.length > MAX_EMAILS)
    throw invalidValue(`'emails' must be a list of at most ${MAX_EMAILS} addresses`);
  const addresses: readonly unknown[] = listed.filter(
    (each) => valueOf(each, 'value') !== undefined && valueOf(each, 'value') !== '',
  );
  const chosen =
    addresses.find((each) => booleanOf(valueOf(each, 'primary')) === true) ??
    addresses.find((each) => String(valueOf(each, 'type')).toLowerCase() === 'work') ??
    addresses[0];
  const address = normalizeAddress((chosen === undefined ? userName : valueOf(chosen, 'value')) as Json);
  if (address !== null) return address;
  throw invalidValue(
    chosen === undefined
      ? "An e-mail address is required: 'emails', or a 'userName' that is one"
      : "The chosen one of 'emails' must be an e-mail address of ASCII characters",
  );
}

/** The address follows a user name that was the address, where the client changes only the name. */
export function withFollowingAddress(before: JsonObject, after: JsonObject): JsonObject {
  const [was, is] = [String(before.userName).toLowerCase(), after.userName];
  const [address] = before.emails as [JsonObject];
  const isSame = JSON.stringify(before.emails) === JSON.stringify(after.emails);
  if (!isSame || was !== address.value || typeof is !== 'string' || is.toLowerCase() === was) return after;
  return normalizeAddress(is) === null ? after : { ...after, emails: [{ ...address, value: is }] };
}
