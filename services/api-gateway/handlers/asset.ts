import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { sha256 } from '../../../lib/crypto';
import { AppError } from '../../../lib/errors';
import { choose } from '../http/conditional';
import type { GatewayRequest } from '../http/request';
import document from '../openapi/document.json';
import type { AssetRoute } from '../routes/route';

/** Nothing but what this host serves, and nothing written into the page itself. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

interface Asset {
  readonly bytes: Buffer;
  readonly etag: string;
}

const SOURCES: Readonly<Record<AssetRoute['name'], () => string>> = {
  openapi: () => JSON.stringify(document),
  page: () => pageFile(__dirname, 'index.html'),
  script: () => pageFile(__dirname, 'app.js'),
  style: () => pageFile(__dirname, 'app.css'),
};

const known = new Map<AssetRoute['name'], Asset>();

/** Sends a file that comes with the service; the same for everybody, and looked at anew only when it has changed. */
export function serveAsset(route: AssetRoute, request: GatewayRequest, response: ServerResponse): void {
  const { bytes, etag } = assetOf(route.name);
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

function assetOf(name: AssetRoute['name']): Asset {
  const before = known.get(name);
  if (before !== undefined) return before;
  const text = SOURCES[name]();
  const made = { bytes: Buffer.from(text), etag: `"${sha256(text)}"` };
  known.set(name, made);
  return made;
}

/** Found by walking up, since compiled files lie one folder deeper than sources. @throws AppError not_found */
function pageFile(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, 'docs', 'page', name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (dirname(folder) === folder) {
    throw new AppError('not_found', `The page is not installed: docs/page/${name} is missing`);
  }
  return pageFile(dirname(folder), name);
}
