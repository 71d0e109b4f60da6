import type { ScimAnswer, ScimRequest } from '../../../contracts/auth/scim';
import type { JsonObject } from '../../../lib/json';
import type { ScimCall } from './call';
import { documents, providerConfig } from './discovery';
import { ScimError } from './errors';
import { ScimGroups } from './groups';
import { askedOf, chosen, isKnown, locationOf, type Query, versionOf } from './resource';
import { ScimUsers } from './users';

type Request = Pick<ScimRequest, 'method' | 'body' | 'if_match' | 'if_none_match'> & { readonly query: Query };

/** Answers a request of an identity provider. `path`: below the endpoint. @throws ScimError, AppError */
export async function serve(call: ScimCall, path: string, request: Request): Promise<ScimAnswer> {
  const [kind = '', id, ...more] = path.split('/');
  // Identity providers write the names as the documents do; some clients write them in lower case.
  const name = kind.toLowerCase();
  if (more.length > 0) throw nothing();
  switch (name) {
    case 'users':
      return resources(new ScimUsers(call), id, request);
    case 'groups':
      return resources(new ScimGroups(call), id, request);
    case 'serviceproviderconfig':
      return read(request, () => providerConfig(call.base));
    case 'resourcetypes':
    case 'schemas':
      return read(request, () => documents(name, id, call.base));
    case 'bulk':
    case 'me':
      throw new ScimError(501, null, `${kind} is not supported: see ServiceProviderConfig`);
    default:
      throw nothing();
  }
}

function read({ method }: Request, document: () => JsonObject): ScimAnswer {
  if (method !== 'GET') throw notAllowed(method);
  return { status: 200, body: document() };
}

function resources(store: ScimUsers | ScimGroups, id: string | undefined, request: Request): Promise<ScimAnswer> {
  return id === undefined ? all(store, request) : one(store, id, request);
}

async function all(store: ScimUsers | ScimGroups, { method, body, query }: Request): Promise<ScimAnswer> {
  const asked = askedOf(query);
  if (method === 'GET') return { status: 200, body: await store.list(asked) };
  if (method === 'POST') return answered(201, await store.create(body), asked);
  throw notAllowed(method);
}

async function one(store: ScimUsers | ScimGroups, id: string, request: Request): Promise<ScimAnswer> {
  const { method, body, if_match } = request;
  const asked = askedOf(request.query);
  switch (method) {
    case 'GET': {
      const resource = await store.get(id);
      if (isKnown(resource, request.if_none_match)) return { status: 304, etag: versionOf(resource) };
      return answered(200, resource, asked);
    }
    case 'PUT':
      return answered(200, await store.replace(id, body, if_match), asked);
    case 'PATCH':
      return answered(200, await store.patch(id, body, if_match), asked);
    case 'DELETE':
      await store.remove(id, if_match);
      return { status: 204 };
    default:
      throw notAllowed(method);
  }
}

const answered = (status: number, resource: JsonObject, asked: Parameters<typeof chosen>[1]): ScimAnswer => ({
  status,
  body: chosen(resource, asked),
  etag: versionOf(resource),
  ...(status === 201 ? { location: locationOf(resource) } : {}),
});

const nothing = (): ScimError => new ScimError(404, null, 'There is nothing at this path');

const notAllowed = (method: string): ScimError => new ScimError(405, null, `${method} is not possible here`);
