import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { ScimRequest } from '../../../contracts/auth/scim';
import type { Gateway } from '../gateway';
import { type Answer, sendJson, sendText } from '../http/answer';
import { type BodyRules, jsonBody } from '../http/body';
import { parseQuery } from '../http/query';
import type { GatewayRequest } from '../http/request';
import type { ScimRoute } from '../routes/route';

const SCIM_TYPE = 'application/scim+json; charset=utf-8';
const ERROR_URN = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** A group with all the members that it may have. */
const BODY: BodyRules = { maxBytes: 1024 * 1024, compressed: true };

export const isScimPath = (pathname: string): boolean => pathname === '/scim/v2' || pathname.startsWith('/scim/');

/** Hands a request of an identity provider on. The scope of the credential is checked by the action. */
export async function serveScim(
  gateway: Gateway,
  route: ScimRoute,
  path: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const principal = await gateway.identifyIfGiven(request);
  if (principal === null)
    throw new AppError('unauthenticated', 'A credential is needed: send Authorization: Bearer <SCIM key>');
  const { headers, client } = request;
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE';
  const body = hasBody ? await jsonBody(request, await gateway.body(route, request, response, BODY)) : undefined;
  const params: ScimRequest = {
    caller: principal,
    method: route.method,
    path,
    query: parseQuery(request.search),
    ...(body === undefined ? {} : { body }),
    ...(headers['if-match'] === undefined ? {} : { if_match: headers['if-match'] }),
    ...(headers['if-none-match'] === undefined ? {} : { if_none_match: headers['if-none-match'] }),
    origin: client.origin ?? null,
  };
  const answer = await gateway.call('auth.scim', params, null, request);
  const fields = {
    ...(answer.etag === undefined ? {} : { ETag: answer.etag }),
    ...(answer.location === undefined ? {} : { Location: answer.location }),
  };
  if (answer.body === undefined) response.writeHead(answer.status, fields).end();
  else await sendJson(response, answer.status, SCIM_TYPE, answer.body, fields);
}

/** An error of the gateway as RFC 7644 section 3.12 has it. */
export function scimError(response: ServerResponse, { status, body, headers }: Answer): void {
  const detail = (body as { error?: unknown } | undefined)?.error;
  const error = { schemas: [ERROR_URN], status: String(status), detail: String(detail ?? 'The request failed') };
  sendText(response, status, SCIM_TYPE, JSON.stringify(error), headers);
}
