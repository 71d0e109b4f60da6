import type { JsonObject } from '../../../lib/json';
import { ScimError } from './errors';
import { GROUP_URN } from './groups';
import { listOf, MAX_PAGE_RESOURCES } from './resource';
import { USER_URN } from './user-resource';

/** What the endpoint supports, as it tells clients (RFC 7643 sections 5 to 7). */

const DOCUMENTATION = 'https://datatracker.ietf.org/doc/html/rfc7644';

export const providerConfig = (base: string): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: DOCUMENTATION,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_PAGE_RESOURCES },
  changePassword: { supported: false },
  sort: { supported: true },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'An API key with the scope scim',
      specUri: 'https://datatracker.ietf.org/doc/html/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
});

const typeOf = (name: 'User' | 'Group', schema: string, base: string): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema,
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
});

interface Characteristics {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly referenceTypes?: string[];
  readonly subAttributes?: JsonObject[];
}

const attribute = (name: string, description: string, given: Characteristics = {}): JsonObject => {
  const { type = 'string', subAttributes, referenceTypes, ...others } = given;
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    ...(type === 'string' || type === 'reference' ? { caseExact: false } : {}),
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...others,
    ...(referenceTypes === undefined ? {} : { referenceTypes }),
    ...(subAttributes === undefined ? {} : { subAttributes }),
  };
};

const USER_ATTRIBUTES: JsonObject[] = [
  attribute('userName', 'The name of the user at the identity provider', { required: true, uniqueness: 'server' }),
  attribute('name', 'The parts of the name', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'The whole name'),
      attribute('familyName', 'The family name'),
      attribute('givenName', 'The given name'),
    ],
  }),
  attribute('displayName', 'The name to show'),
  attribute('active', 'Whether the user may sign in', { type: 'boolean' }),
  attribute('emails', 'The e-mail address of the account: of several, the primary one is kept', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address', { uniqueness: 'server' }),
      attribute('type', 'Always work'),
      attribute('primary', 'Always true', { type: 'boolean' }),
    ],
  }),
  attribute('roles', 'The role in the workspace, which follows from the groups', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', 'viewer, member, admin or owner', { mutability: 'readOnly' }),
      attribute('primary', 'Always true', { type: 'boolean', mutability: 'readOnly' }),
    ],
  }),
  attribute('groups', 'The groups of the user, which are changed by their members', {
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', 'The id of the group', { caseExact: true, mutability: 'readOnly' }),
      attribute('$ref', 'The address of the group', {
        type: 'reference',
        mutability: 'readOnly',
        referenceTypes: ['Group'],
      }),
      attribute('display', 'The name of the group', { mutability: 'readOnly' }),
      attribute('type', 'Always direct', { mutability: 'readOnly' }),
    ],
  }),
];

const GROUP_ATTRIBUTES: JsonObject[] = [
  attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
  attribute('members', 'The users of the group', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The id of a user', { caseExact: true, mutability: 'immutable' }),
      attribute('type', 'Always User', { mutability: 'immutable' }),
      attribute('$ref', 'The address of the user', {
        type: 'reference',
        mutability: 'immutable',
        referenceTypes: ['User'],
      }),
    ],
  }),
];

const schemaOf = (
  id: string,
  name: string,
  description: string,
  attributes: JsonObject[],
  base: string,
): JsonObject => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
});

const DOCUMENTS: Readonly<Record<'resourcetypes' | 'schemas', (base: string) => JsonObject[]>> = {
  resourcetypes: (base) => [typeOf('User', USER_URN, base), typeOf('Group', GROUP_URN, base)],
  schemas: (base) => [
    schemaOf(USER_URN, 'User', 'A person of the workspace', USER_ATTRIBUTES, base),
    schemaOf(GROUP_URN, 'Group', 'A group of the identity provider', GROUP_ATTRIBUTES, base),
  ],
};

/** The resource types or the schemas, or one of them. @throws ScimError 404 */
export function documents(kind: 'resourcetypes' | 'schemas', id: string | undefined, base: string): JsonObject {
  const all = DOCUMENTS[kind](base);
  if (id === undefined) return listOf(all, all.length, 1);
  const found = all.find((each) => each.id === id);
  if (found === undefined) throw new ScimError(404, null, 'There is no such document');
  return found;
}
