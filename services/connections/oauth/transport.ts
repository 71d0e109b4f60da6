import * as oauth from 'oauth4webapi';
import { type Egress, EgressError } from '../../../lib/egress';
import { fetchOver } from '../../../lib/fetch-over';
import type { Dialect } from './dialect';

/** The longest a provider is waited for. */
export const PROVIDER_TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** How oauth4webapi sends its requests. */
export interface Transport {
  fetch(url: string, init: { method: string; headers: Record<string, string>; body?: unknown }): Promise<Response>;
  readonly options: oauth.TokenEndpointRequestOptions;
}

/**
 * The guarded way out for a provider's endpoints, with bodies as its dialect wants them. `mayBegin` is asked when a
 * connection is there and nothing has been sent.
 */
export function transportOver(egress: Egress, dialect: Pick<Dialect, 'body'>, mayBegin?: () => boolean): Transport {
  const bounded = fetchOver({
    request: (request) =>
      egress.request({
        ...request,
        timeoutMs: PROVIDER_TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        maxRedirects: 0,
        ...(mayBegin === undefined ? {} : { mayBegin }),
      }),
  });
  const send: Transport['fetch'] = (url, { method, headers, body }) => {
    const json = dialect.body === 'json' && body instanceof URLSearchParams;
    const text = json ? JSON.stringify(Object.fromEntries(body)) : body instanceof URLSearchParams ? String(body) : '';
    return bounded(url, {
      method,
      headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(text === '' ? {} : { body: text }),
    });
  };
  // Which addresses may be plain is the operator's to say: they are all of his naming.
  const options = { [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true };
  return { fetch: send, options };
}

/** How we say who we are. Basic without the form encoding of RFC 6749 2.3.1, which the providers that want it do not undo. */
export const authenticationOf = (dialect: Pick<Dialect, 'authentication'>, secret: string): oauth.ClientAuth =>
  dialect.authentication === 'post'
    ? oauth.ClientSecretPost(secret)
    : (_server, { client_id }, _body, headers) =>
        headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`);

/** The body of an answer as JSON; null where it is none. */
export async function bodyOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text());
  } catch {
    // Judged by its status.
    return null;
  }
}

/** What kept an answer from coming, in words that name the host at most. */
export function unreached(fault: unknown): string {
  for (let each = fault, depth = 0; each instanceof Error && depth < 10; each = each.cause, depth += 1)
    if (each instanceof EgressError) return each.message;
  return 'the exchange broke off';
}
