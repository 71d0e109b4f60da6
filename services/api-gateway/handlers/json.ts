import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { isObject, type Json } from '../../../lib/json';
import type { ParamsOf } from '../../../contracts/catalogue';
import type { Gateway } from '../gateway';
import { type Answer, sendAnswer } from '../http/answer';
import { type BodyRules, jsonBody } from '../http/body';
import { parseQuery, withPage } from '../http/query';
import { addressOf, bearerOf, type GatewayRequest, userAgentOf } from '../http/request';
import { idempotencyKeyOf, withIdempotencyKey } from '../idempotency';
import type { GatewayParam } from '../../../contracts/contract';
import type { JsonRoute } from '../routes/route';

/** Of requests without a credential: names, passwords and codes. */
const PUBLIC_BODY: BodyRules = { maxBytes: 64 * 1024, compressed: false };

/** The one path of all JSON routes: who, what, then the action, then its answer. */
export async function serveJson(
  gateway: Gateway,
  route: JsonRoute,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const principal = await gateway.identify(route, request);
  gateway.assertRole(route, principal);
  const key = route.idempotency === 'none' ? undefined : idempotencyKeyOf(request);
  const body = await objectBody(gateway, route, request, response);
  const params = paramsOf(route, path, body, request, key);
  const work = async (timeoutMs?: number): Promise<Answer> =>
    answerOf(route, await gateway.call(route.action, params, principal, request, timeoutMs));
  if (key === undefined || route.idempotency !== 'replay') return sendAnswer(response, await work());
  const scope = gateway.idempotencyScope(principal, request);
  await sendAnswer(response, await withIdempotencyKey(gateway, request, { scope, key, body: body as Json, work }));
}

async function objectBody(
  gateway: Gateway,
  route: JsonRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<Record<string, unknown>> {
  if (request.method !== 'POST' && request.method !== 'PUT') return {};
  const rules = route.access === 'public' ? PUBLIC_BODY : { maxBytes: gateway.app.config.bodyLimit, compressed: true };
  const body = await jsonBody(request, await gateway.body(route, request, response, rules));
  if (body === undefined) return {};
  if (isObject(body)) return body;
  throw new AppError('invalid_request', 'The body must be a JSON object');
}

/** Path over body or query; over both, what is not the client's to choose. */
function paramsOf(
  route: JsonRoute,
  path: Readonly<Record<string, string>>,
  body: Readonly<Record<string, unknown>>,
  request: GatewayRequest,
  key: string | undefined,
): ParamsOf<JsonRoute['action']> {
  const params: Record<string, unknown> = {
    ...(route.body === null ? (hasBody(route) ? body : queryOf(route, request)) : { [route.body]: body }),
    ...fromQuery(route, request),
    ...path,
    ...route.fixed,
  };
  for (const name of route.given) params[name] = GIVEN[name](request, key);
  // The action's own rules decide whether they are what it takes.
  return params;
}

const hasBody = ({ method }: JsonRoute): boolean => method === 'POST' || method === 'PUT';

function queryOf({ paged }: JsonRoute, { search }: GatewayRequest): Readonly<Record<string, unknown>> {
  const query = parseQuery(search);
  return paged === false ? query : withPage(query);
}

/** Of a route with a body, what it takes from the query all the same. */
function fromQuery({ query }: JsonRoute, { search }: GatewayRequest): Readonly<Record<string, unknown>> {
  if (query.length === 0) return {};
  const found: Readonly<Record<string, unknown>> = parseQuery(search);
  return Object.fromEntries(query.map((name) => [name, Object.hasOwn(found, name) ? found[name] : undefined]));
}

const GIVEN: Readonly<Record<GatewayParam, (request: GatewayRequest, key: string | undefined) => unknown>> = {
  // The socket's, whatever the body says: throttles count by it.
  address: addressOf,
  user_agent: userAgentOf,
  origin: ({ client }) => client.origin ?? undefined,
  idempotency_key: (_request, key) => key,
  token: bearerOf,
  session: (request) => bearerOf(request) ?? undefined,
  if_match: ({ headers }) => headers['if-match'],
  if_none_match: ({ headers }) => headers['if-none-match'],
};

function answerOf(route: JsonRoute, result: unknown): Answer {
  const own = route.answer?.(result as never);
  return { status: route.status, body: result ?? undefined, ...own };
}
