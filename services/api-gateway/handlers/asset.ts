import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { choose } from '../http/conditional';
import { docsFolder, guideList, guidePage } from '../guides';
import { type GatewayRequest, prefersHtml } from '../http/request';
import type { AssetRoute } from '../routes/route';

/** Nothing but what this host serves, and nothing written into the page itself. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** Read at the first request for it: it has a thousand kilobytes. */
const DOCUMENT = join(__dirname, '..', 'openapi', 'document.json');

interface Asset {
  readonly bytes: Buffer;
  readonly etag: string;
}

const SOURCES: Readonly<Record<Exclude<AssetRoute['name'], 'home'>, (guide: string) => string>> = {
  openapi: () => JSON.stringify(JSON.parse(readFileSync(DOCUMENT, 'utf8'))),
  page: () => pageFile('index.html'),
  script: () => pageFile('app.js'),
  requests: () => pageFile('try.js'),
  style: () => pageFile('app.css'),
  guides: () => JSON.stringify({ data: guideList() }),
  guide: guidePage,
};

/** By name; guides by name and the name of the guide, of which there are as many as files. */
const known = new Map<string, Asset>();

/** Sends a file that comes with the service; the same for everybody, and looked at anew only when it has changed. */
export function serveAsset(
  route: AssetRoute,
  hasConsole: boolean,
  request: GatewayRequest,
  response: ServerResponse,
): void {
  if (route.name === 'home') {
    const location = hasConsole && prefersHtml(request.headers.accept) ? '/console' : '/docs';
    response.writeHead(302, { Location: location, 'Cache-Control': 'no-cache', 'Content-Length': 0 }).end();
    return;
  }
  const { match } = request;
  const { bytes, etag } = assetOf(route.name, (match.kind === 'found' ? match.params.name : undefined) ?? '');
  const { 'if-none-match': ifNoneMatch } = request.headers;
  const conditions = { ...UNCONDITIONAL, method: request.method, ifNoneMatch };
  const chosen = choose({ size: bytes.length, etag, modified: 0 }, conditions);
  const headers = { ETag: etag, 'Cache-Control': 'public, no-cache', 'Content-Security-Policy': POLICY };
  if (chosen.kind === 'not modified') {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'Content-Type': route.contentType, 'Content-Length': bytes.length }).end(bytes);
}

const UNCONDITIONAL = {
  ifMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
  ifRange: undefined,
  range: undefined,
} as const;

function assetOf(name: keyof typeof SOURCES, guide: string): Asset {
  const key = `${name}/${guide}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const text = SOURCES[name](guide);
  const made = { bytes: Buffer.from(text), etag: `"${sha256(text)}"` };
  known.set(key, made);
  return made;
}

/** @throws AppError not_found */
function pageFile(name: string): string {
  const folder = docsFolder();
  if (folder === null) throw new AppError('not_found', `The page is not installed: docs/page/${name} is missing`);
  return readFileSync(join(folder, 'page', name), 'utf8');
}
