import { createHash } from 'node:crypto';
import { isObject } from '../../../lib/json';
import type { NodeHttp } from '../../contract';
import { encodePath, encodeQuery, signedHeaders } from '../../storage/s3/sign';
import type { Account } from '../contract';
import { InvalidInputError } from '../invalid-input-error';
import type { Credential } from './account';
import { challengeIn, digestHeader } from './digest';

export type Request = Parameters<NodeHttp['request']>[0];

const including = (request: Request, headers: Record<string, string>): Request => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** The request with credentials that need no exchange. Pure. @throws InvalidInputError */
export async function authorized(request: Request, credential: Credential, now: number): Promise<Request> {
  switch (credential.kind) {
    case 'basic': {
      const pair = Buffer.from(`${credential.username}:${credential.password}`).toString('base64');
      return including(request, { authorization: `Basic ${pair}` });
    }
    case 'bearer':
      return including(request, { authorization: `Bearer ${credential.token}` });
    case 'api_key':
      return withKey(request, credential);
    case 'aws':
      return withSignature(request, credential, now);
    case 'none':
    case 'digest':
    case 'oauth2':
      return request;
  }
}

function withKey(request: Request, { in: place, name, key }: Extract<Credential, { kind: 'api_key' }>): Request {
  if (place === 'header') return including(request, { [name.toLowerCase()]: key });
  if (place === 'cookie') {
    const cookie = [request.headers?.cookie, `${name}=${encodeURIComponent(key)}`].filter(Boolean).join('; ');
    return including(request, { cookie });
  }
  const pair = new URLSearchParams([[name, key]]).toString();
  return { ...request, url: `${request.url}${request.url.includes('?') ? '&' : '?'}${pair}` };
}

/** AWS Signature Version 4. The URL is re-encoded, since it must be sent as it is signed. */
async function withSignature(
  request: Request,
  credential: Extract<Credential, { kind: 'aws' }>,
  now: number,
): Promise<Request> {
  const url = new URL(request.url);
  const query = [...url.searchParams];
  if (new Set(query.map(([name]) => name)).size < query.length)
    throw new InvalidInputError('"query" must not name a parameter twice: it is signed');
  const path = plainPath(url.pathname);
  const { body = '' } = request;
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const unsigned = {
    method: request.method,
    host: url.host,
    path,
    query: Object.fromEntries(query),
    headers: { ...request.headers },
    body: bytes,
  };
  const { service, region, accessKeyId, secretAccessKey, sessionToken } = credential;
  const signer = { region, accessKeyId, secretAccessKey, sessionToken, ...(service === 's3' ? {} : { service }) };
  const search = encodeQuery(unsigned.query);
  return {
    ...request,
    url: `${url.origin}${encodePath(path)}${search === '' ? '' : `?${search}`}`,
    headers: await signedHeaders(unsigned, signer, now),
  };
}

function plainPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // URIError, for a percent sign that encodes nothing.
    throw new InvalidInputError('the path of the address is malformed');
  }
}

/** The request once more, in response to a challenge; null where that cannot be met. Pure. */
export function answering(
  request: Request,
  header: string,
  credential: Extract<Credential, { kind: 'basic' | 'digest' }>,
): Request | null {
  const challenge = challengeIn(header);
  if (challenge === null) return null;
  const { pathname, search } = new URL(request.url);
  // The nonce of the server is new each time, and so is the response to it.
  const cnonce = createHash('sha256')
    .update(`${request.idempotencyKey ?? ''}:${challenge.nonce}`)
    .digest('hex');
  const { username, password } = credential;
  const response = { username, password, method: request.method, uri: pathname + search, cnonce: cnonce.slice(0, 32) };
  return including(request, { authorization: digestHeader(challenge, response) });
}

/** Asks for a token with client credentials (RFC 6749 section 4.4). Pure. */
export function tokenRequest(credential: Extract<Credential, { kind: 'oauth2' }>): Request {
  const { tokenUrl, clientId, clientSecret, scope, inBody } = credential;
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === '' ? {} : { scope }) });
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (inBody) {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else {
    // Both parts as in a form (RFC 6749 section 2.3.1).
    const pair = [clientId, clientSecret]
      .map((part) => new URLSearchParams([['', part]]).toString().slice(1))
      .join(':');
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { method: 'POST', url: tokenUrl, headers, body: form.toString(), maxRedirects: 0 };
}

/** Headers that go with every request of an account. @throws InvalidInputError */
export function furtherHeaders({ credentials }: Account): Record<string, string> {
  const { headers = '' } = credentials;
  if (headers.trim() === '') return {};
  const read = parsed(headers);
  if (!isObject(read) || !Object.values(read).every((value) => typeof value === 'string'))
    throw new InvalidInputError('"headers" of the connection must be an object of texts in JSON');
  return Object.fromEntries(Object.entries(read).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // JSON.parse throws for bad syntax alone, which is reported as such.
    return null;
  }
}
