import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../lib/errors';
import { type FileContentRef, PART_BYTES } from '../../../contracts/files';
import type { Gateway } from '../gateway';
import { type Chosen, type Conditions, choose } from '../http/conditional';
import { dispositionOf } from '../http/disposition';
import type { GatewayRequest } from '../http/request';
import type { DownloadRoute } from '../routes/route';

type Params = Readonly<Record<string, string>>;

/** How a file of a route is asked for. Anew for each part: principals are short-lived, and access may have ended. */
interface Source {
  stat(): Promise<FileContentRef>;
  part(blobId: string, n: number): Promise<Buffer>;
}

/**
 * Sends a file, or a range of it (RFC 9110 section 14), part by part as the client takes it. What a run has written is a
 * user content on our origin: a sandbox policy keeps a page in it from acting as ours.
 */
export async function serveDownload(
  gateway: Gateway,
  route: DownloadRoute,
  params: Params,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const source = sourceOf(gateway, route, params, request);
  const file = await source.stat();
  const modified = Math.floor(Date.parse(file.created_at) / 1_000) * 1_000;
  const etag = `"${file.sha256}"`;
  const chosen = choose({ size: file.size, etag, modified }, conditionsOf(request));
  if (chosen.kind === 'precondition failed')
    throw new AppError('precondition_failed', 'The file is not the one that the request names');
  if (chosen.kind === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${file.size}`);
    throw new AppError('range_not_satisfiable', `The file has ${file.size} bytes, and none in this range`);
  }
  // Kept by browsers alone, and shown again only when it still may be.
  const validators = {
    'Cache-Control': 'private, no-cache',
    ETag: etag,
    'Last-Modified': new Date(modified).toUTCString(),
  };
  if (chosen.kind === 'not modified') {
    response.writeHead(304, validators).end();
    return;
  }
  const { first, last } = chosen.kind === 'part' ? chosen : { first: 0, last: file.size - 1 };
  const content = contentOf(source, file, first, last);
  // What has been replaced or removed since it was looked up is reported as an HTTP status, so it is checked before any content.
  const begun = request.method === 'HEAD' ? null : await content.next();
  response.writeHead(chosen.kind === 'part' ? 206 : 200, {
    ...validators,
    'Accept-Ranges': 'bytes',
    'Content-Type': file.content_type,
    'Content-Length': last - first + 1,
    'Content-Disposition': dispositionOf(file.name, file.content_type),
    'Content-Security-Policy': "sandbox; default-src 'none'",
    ...rangeHeader(chosen, file.size),
  });
  if (begun === null || begun.done === true) {
    response.end();
    return;
  }
  await pipeline(Readable.from(goingOn(begun.value, content)), response).catch((fault: unknown) => {
    gateway.log.info(`A file of ${route.path} was not sent to its end`, fault);
  });
}

/** One part in memory at a time; the next is asked for when the client has taken it. */
async function* contentOf(source: Source, file: FileContentRef, first: number, last: number): AsyncGenerator<Buffer> {
  for (let n = Math.floor(first / PART_BYTES); n * PART_BYTES <= last; n++) {
    const start = n * PART_BYTES;
    const part = await source.part(file.blob_id, n);
    yield part.subarray(Math.max(0, first - start), last + 1 - start);
  }
}

async function* goingOn(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function sourceOf(gateway: Gateway, route: DownloadRoute, params: Params, request: GatewayRequest): Source {
  if (route.of === 'share') {
    const id = params.id as string;
    return {
      stat: () => gateway.call('files.shared', { id }, null, request),
      part: async (blob_id, n) => bytesOf(await gateway.call('files.shared_part', { id, blob_id, n }, null, request)),
    };
  }
  const { exec_id, path } = params as { exec_id: string; path: string };
  const principal = () => gateway.identify(route, request);
  return {
    stat: async () => gateway.call('files.stat', { exec_id, path }, await principal(), request),
    part: async (blob_id, n) => bytesOf(await gateway.call('files.part', { blob_id, n }, await principal(), request)),
  };
}

const bytesOf = ({ data }: { data: string }): Buffer => Buffer.from(data, 'base64');

const rangeHeader = (chosen: Chosen, size: number): Record<string, string> =>
  chosen.kind === 'part' ? { 'Content-Range': `bytes ${chosen.first}-${chosen.last}/${size}` } : {};

const conditionsOf = ({ method, headers }: GatewayRequest): Conditions => ({
  method,
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
  ifModifiedSince: headers['if-modified-since'],
  ifUnmodifiedSince: headers['if-unmodified-since'],
  ifRange: headers['if-range'] as string | undefined,
  range: headers.range,
});
