import { hostMatches } from '../../../lib/host-pattern';
import type { ConnectionResult, NodeContext, NodeHttp } from '../../contract';
import { type Failed, failFinally, invalidConfig } from '../../outcome';
import type { HttpRequestInput } from './request';

type Request = Parameters<NodeHttp['request']>[0];
type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** Connections of all OAuth apps. */
export const CONNECTIONS = ['oauth'] as const;

/** Sends a request with the token of the step's connection, if it names one. Redirects are not followed with a token. */
export async function exchange(
  { connection: ref, auth }: HttpRequestInput,
  request: Request,
  ctx: NodeContext,
): Promise<Response | Failed> {
  if (ref === undefined) return ctx.http.request(request);
  if (auth !== undefined) return invalidConfig('"auth" and "connection" exclude each other');
  const found = await ctx.connection(ref, { connectors: CONNECTIONS });
  const first = signed(request, found);
  if ('kind' in first) return first;
  const response = await ctx.http.request(first.request);
  if (response.status !== 401) return response;
  const again = signed(request, await ctx.connection(first.id, { connectors: CONNECTIONS, refused: first.token }));
  // A token that cannot be renewed: the response says what the provider has against it.
  if ('kind' in again || again.token === first.token) return response;
  return ctx.http.request(again.request);
}

/** The request with the token, or why it must not have it. Pure. */
function signed(request: Request, found: ConnectionResult): { id: string; token: string; request: Request } | Failed {
  if (found.kind === 'refused') return failFinally(found.error.code, found.error.message);
  const { id, credentials, hosts = [] } = found.connection;
  const { access_token: token = '' } = credentials;
  if (hostMatches(hosts, request.url)) {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    return { id, token, request: { ...request, headers, maxRedirects: 0 } };
  }
  const allowed = hosts.length === 0 ? 'no host' : hosts.join(', ');
  return failFinally(
    'host_not_allowed',
    `The OAuth app of the connection allows its token for ${allowed} alone, over https`,
  );
}
