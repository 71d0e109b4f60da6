import * as oauth from 'oauth4webapi';
import { type Egress, EgressError } from '../../../lib/egress';
import { fetchAdapter } from '../../../lib/fetch-adapter';
import type { ProviderProfile } from './provider-profile';

/** Timeout of a request to a provider. */
export const PROVIDER_TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** How oauth4webapi sends its requests. */
interface Transport {
  fetch(url: string, init: { method: string; headers: Record<string, string>; body?: unknown }): Promise<Response>;
  readonly options: oauth.TokenEndpointRequestOptions;
}

/**
 * The guarded egress client for a provider's endpoints. The profile defines the body format. `mayBegin` is called when the
 * connection is open and nothing has been sent.
 */
export function createTransport(
  egress: Egress,
  profile: Pick<ProviderProfile, 'body'>,
  mayBegin?: () => boolean,
): Transport {
  const bounded = fetchAdapter({
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
    const json = profile.body === 'json' && body instanceof URLSearchParams;
    const text = json ? JSON.stringify(Object.fromEntries(body)) : body instanceof URLSearchParams ? String(body) : '';
    return bounded(url, {
      method,
      headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
      ...(text === '' ? {} : { body: text }),
    });
  };
  // Plain http is allowed: the operator configured these addresses, or they were checked when their app was registered.
  const options = { [oauth.customFetch]: send, [oauth.allowInsecureRequests]: true };
  return { fetch: send, options };
}

/** Client authentication. Basic credentials are not form-encoded (RFC 6749 2.3.1), because these providers do not decode them. */
export function authenticationOf(
  { authentication }: Pick<ProviderProfile, 'authentication'>,
  secret: string,
): oauth.ClientAuth {
  switch (authentication) {
    case 'none':
      return oauth.None();
    case 'post':
      return oauth.ClientSecretPost(secret);
    case 'basic':
      return (_server, { client_id }, _body, headers) =>
        headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`);
  }
}

/** The reason of a failed request. It discloses at most the host. */
export function failureReason(fault: unknown): string {
  for (let each = fault, depth = 0; each instanceof Error && depth < 10; each = each.cause, depth += 1)
    if (each instanceof EgressError) return each.message;
  return 'the connection was closed';
}
