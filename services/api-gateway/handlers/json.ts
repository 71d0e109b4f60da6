import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { isObject, type Json } from '../../../lib/json';
import type { ParamsOf } from '../../catalogue';
import type { Gateway } from '../gateway';
import { type Answer, sendAnswer } from '../http/answer';
import { jsonBody, readBody } from '../http/body';
import { parseQuery, withPage } from '../http/query';
import { addressOf, bearerOf, type GatewayRequest } from '../http/request';
import { idempotencyKeyOf, once } from '../once';
import type { Given, JsonRoute } from '../routes/route';

/** The one path of all JSON routes: who, what, then the action, then its answer. */
export async function serveJson(
  gateway: Gateway,
  route: JsonRoute,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const principal = await gateway.identify(route, request);
  const key = route.idempotency === 'none' ? undefined : idempotencyKeyOf(request);
  const body = await objectBody(gateway, request, response);
  const params = paramsOf(route, {
    path,
    query: parseQuery(request.search),
    body,
    address: addressOf(request),
    origin: request.client.origin,
    idempotencyKey: key,
    token: bearerOf(request),
  });
  const work = async (): Promise<Answer> =>
    answerOf(route, await gateway.call(route.action, params, principal, request));
  const replayable = key !== undefined && route.idempotency === 'replay';
  sendAnswer(response, replayable ? await once(gateway, request, key, body as Json, work) : await work());
}

async function objectBody(
  gateway: Gateway,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<Record<string, unknown>> {
  if (request.method !== 'POST' && request.method !== 'PUT') return {};
  const bytes = await readBody(request, gateway.app.config.bodyLimit, gateway.bodies.share(response));
  const body = jsonBody(request, bytes);
  if (body === undefined) return {};
  if (isObject(body)) return body;
  throw new AppError('invalid_request', 'The body must be a JSON object');
}

function paramsOf(route: JsonRoute, given: Given): ParamsOf<JsonRoute['action']> {
  const fromBody = route.method === 'POST' || route.method === 'PUT';
  const params =
    route.params === null
      ? { ...(fromBody ? given.body : route.paged ? withPage(given.query) : given.query), ...given.path }
      : route.params(given);
  // The action's own schema decides whether they are what it takes.
  return params as ParamsOf<JsonRoute['action']>;
}

function answerOf(route: JsonRoute, result: unknown): Answer {
  const own = route.answer?.(result as never);
  return { status: route.status, body: result ?? undefined, ...own };
}
