import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { Gateway } from '../gateway';
import { type GatewayRequest, splitTarget } from '../http/request';
import type { Match } from '../router';
import type { ServedRoute } from '../routes/route';

/** Header fields by which a download would be partial or conditional: it is complete, since the link works once. */
const CONDITIONS = ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/** Set on what a link downloads, whatever its route sets. */
const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const;

const isDownload = (route: ServedRoute): boolean =>
  (route.kind === 'download' && route.of === 'run') ||
  (route.kind === 'json' && route.method === 'GET' && (route.file !== null || route.action === 'workflows.export'));

/** Uses a link up, and makes of the request the one that the link stands for. @throws AppError not_found, method_not_allowed */
export async function redeemDownloadLink(
  gateway: Gateway,
  match: (method: string, pathname: string) => Match,
  link: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  // Programs that look at links before people do must not use them up.
  if (request.method === 'HEAD') throw new AppError('method_not_allowed', 'A download link answers GET alone');
  const { path, token } = await gateway.call('auth.redeem_download', { link }, null, request);
  const target = splitTarget(path);
  const found = target === null ? null : match('GET', target.pathname);
  if (target === null || found?.kind !== 'found' || !isDownload(found.route)) {
    throw new AppError('not_found', 'There is nothing to download at the path of this link');
  }
  for (const name of CONDITIONS) delete request.headers[name];
  Object.assign(request, { url: path, match: found, ...target });
  request.headers.authorization = `Bearer ${token}`;
  asAttachment(response);
}

/** Makes of a successful answer a file that a browser stores and never shows. */
function asAttachment(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (status: number, headers?: object) => ServerResponse;
  const safe = (status: number, headers: Readonly<Record<string, unknown>> = {}): ServerResponse => {
    const disposition = String(headers['Content-Disposition'] ?? 'attachment').replace(/^inline/, 'attachment');
    const added = status === 200 ? { ...SAFE_HEADERS, 'Content-Disposition': disposition } : SAFE_HEADERS;
    return writeHead(status, { ...headers, ...added });
  };
  // All answers of the gateway give their header fields as an object.
  response.writeHead = safe as typeof response.writeHead;
}
