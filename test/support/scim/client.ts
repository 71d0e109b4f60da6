import type { TestApp } from '../app';
import { ask } from '../http';

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The expectations of tests determine its type.
  readonly body: Record<string, unknown> & { id: string; Resources: Record<string, unknown>[]; totalResults: number };
}

/** Sends requests as identity providers do. */
export type Scim = (
  line: `${string} /${string}`,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ScimAnswer>;

export const scimWith =
  ({ url }: Pick<TestApp, 'url'>, key: string | null): Scim =>
  async (line, body, headers = {}) => {
    const [method, path] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    const response = await fetch(`${url}/scim/v2${path}`, {
      method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: {
        accept: 'application/scim+json',
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    } as ScimAnswer;
  };

/** A SCIM key of a service account, as the console makes it. */
export async function scimKey(app: TestApp, owner: string): Promise<string> {
  const account = { name: 'scim', role: 'admin' };
  const { body } = await ask(app, 'POST /api/v1/team/service-accounts', { token: owner, body: account });
  const key = { name: 'SCIM', scope: 'scim', service_account_id: body.id };
  const answer = await ask(app, 'POST /api/v1/api-keys', { token: owner, body: key });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return String(answer.body.key);
}

export const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** A new user, as Okta sends it. */
export const oktaUser = (address: string, given: object = {}) => ({
  schemas: [USER],
  userName: address,
  name: { givenName: 'Ann', familyName: 'Lee' },
  emails: [{ primary: true, value: address, type: 'work' }],
  displayName: 'Ann Lee',
  locale: 'en-US',
  externalId: `okta-${address}`,
  groups: [],
  password: '1mz050nq',
  active: true,
  ...given,
});

/** A new user, as Entra ID sends it. */
export const entraUser = (address: string, given: object = {}) => ({
  schemas: [USER, ENTERPRISE],
  externalId: `entra-${address}`,
  userName: address,
  active: true,
  emails: [{ primary: true, type: 'work', value: address }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Bea Ray', familyName: 'Ray', givenName: 'Bea' },
  roles: [],
  [ENTERPRISE]: { department: 'Sales' },
  ...given,
});

export const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
