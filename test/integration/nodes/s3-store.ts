import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hash } from '@smithy/hash-node';
import { SignatureV4 } from '@smithy/signature-v4';

export const CREDENTIALS = { access_key_id: 'AKIATEST', secret_access_key: 'sesame/open+it=' } as const;
export const REGION = 'eu-central-1';

interface Stored {
  readonly bytes: Buffer;
  readonly type: string;
  readonly metadata: Record<string, string>;
}

/** A store in memory that speaks S3 for one bucket, `box`, by path, and lets in only what another signer signs alike. */
export interface S3Store {
  readonly url: string;
  readonly objects: Map<string, Stored>;
  close(): Promise<void>;
}

const signer = new SignatureV4({
  service: 's3',
  region: REGION,
  credentials: { accessKeyId: CREDENTIALS.access_key_id, secretAccessKey: CREDENTIALS.secret_access_key },
  sha256: Hash.bind(null, 'sha256'),
  uriEscapePath: false,
});

export async function startS3Store(): Promise<S3Store> {
  const objects = new Map<string, Stored>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      void verified(request, body).then((fault) => {
        const [status, headers, answer] =
          fault === null ? act(objects, request, body) : ([403, {}, errorXml(fault)] as const);
        response
          .writeHead(status, { ...headers, 'content-length': answer.length })
          .end(request.method === 'HEAD' ? '' : answer);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Why a request is not let in; null when it is. */
async function verified(request: IncomingMessage, body: Buffer): Promise<string | null> {
  const url = new URL(request.url ?? '/', 'http://x');
  const query = Object.fromEntries(url.searchParams);
  const given = query['X-Amz-Signature'] ?? /Signature=([0-9a-f]+)/.exec(request.headers.authorization ?? '')?.[1];
  if (given === undefined) return 'AccessDenied';
  const common = { method: request.method ?? '', protocol: 'http:', hostname: 'x', path: url.pathname };
  const host = request.headers.host ?? '';
  if (query['X-Amz-Signature'] !== undefined) {
    const signingDate = dateOf(query['X-Amz-Date'] ?? '');
    if (signingDate.getTime() + Number(query['X-Amz-Expires']) * 1_000 < Date.UTC(2030, 0, 1)) return 'AccessDenied';
    const hash = new Set(['x-amz-content-sha256']);
    const signed = await signer.presign(
      { ...common, query: {}, headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
      { signingDate, expiresIn: Number(query['X-Amz-Expires']), unhoistableHeaders: hash, unsignableHeaders: hash },
    );
    return signed.query?.['X-Amz-Signature'] === given ? null : 'SignatureDoesNotMatch';
  }
  const names = /SignedHeaders=([^,]+)/.exec(request.headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')]));
  if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
    return 'XAmzContentSHA256Mismatch';
  const signed = await signer.sign(
    { ...common, query, headers, body },
    { signingDate: dateOf(headers['x-amz-date'] ?? '') },
  );
  return signed.headers.authorization?.endsWith(given) ? null : 'SignatureDoesNotMatch';
}

/** 20300101T000000Z. */
const dateOf = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

const errorXml = (code: string): Buffer => Buffer.from(`<Error><Code>${code}</Code><Message>no</Message></Error>`);

type Act = readonly [status: number, headers: Record<string, string>, body: Buffer];

function act(objects: Map<string, Stored>, request: IncomingMessage, body: Buffer): Act {
  const url = new URL(request.url ?? '/', 'http://x');
  const [, bucket, key] = /^\/([^/]+)\/(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (bucket !== 'box' || key === undefined) return [404, {}, errorXml('NoSuchBucket')];
  if (key === '') return [200, { 'content-type': 'application/xml' }, list(objects, url.searchParams)];
  if (request.method === 'PUT') {
    const metadata = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-')) as [string, string][],
    );
    objects.set(key, { bytes: body, type: request.headers['content-type'] ?? '', metadata });
    return [200, { etag: etagOf(body) }, Buffer.alloc(0)];
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return [204, {}, Buffer.alloc(0)];
  }
  const found = objects.get(key);
  if (found === undefined) return [404, {}, errorXml('NoSuchKey')];
  return [200, { 'content-type': found.type, etag: etagOf(found.bytes), ...found.metadata }, found.bytes];
}

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function list(objects: Map<string, Stored>, asked: URLSearchParams): Buffer {
  const after = asked.get('continuation-token') ?? '';
  const keys = [...objects.keys()].sort().filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after);
  const page = keys.slice(0, Number(asked.get('max-keys')));
  const entries = page.map((key) => {
    const { bytes } = objects.get(key) as Stored;
    return `<Contents><Key>${encodeURIComponent(key).replaceAll('%20', '+')}</Key><Size>${bytes.length}</Size><ETag>${etagOf(bytes)}</ETag><LastModified>2030-01-01T00:00:00.000Z</LastModified></Contents>`;
  });
  const more = page.length < keys.length;
  const next = more ? `<NextContinuationToken>${page.at(-1)?.replaceAll('&', '&amp;')}</NextContinuationToken>` : '';
  return Buffer.from(
    `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${entries.join('')}</ListBucketResult>`,
  );
}
