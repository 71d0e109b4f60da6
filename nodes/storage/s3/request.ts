import { contentOf, expiresOf, keyOf, metadataHeaders, placeOf, type BucketTarget, type S3Input } from './input';
import { encodePath, encodeQuery, signedHeaders, signedQuery, type Unsigned } from './sign';

/** What to send. */
export interface Signed {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;
}

/** A presigned URL, and its expiry. */
interface Link {
  readonly url: string;
  readonly expiresAt: number;
}

const MAX_KEYS = 1_000;

/** The signed request for a configuration. Pure. @throws InvalidInputError */
export async function requestOf(input: S3Input, now: number): Promise<Signed> {
  const place = placeOf(input);
  const request = unsigned(input, place);
  const headers = await signedHeaders(request, place.signer, now);
  const body = request.body.length === 0 && request.method !== 'PUT' ? undefined : request.body;
  return { method: request.method, url: urlOf(place, request.path, request.query), headers, body };
}

/** A presigned link, for a client without credentials. Pure. @throws InvalidInputError */
export async function linkOf(input: S3Input, now: number): Promise<Link> {
  const place = placeOf(input);
  const path = place.root + keyOf(input);
  const expiresS = expiresOf(input);
  const asked = { method: input.method ?? 'GET', host: place.host, path, query: {} };
  const query = await signedQuery(asked, place.signer, now, expiresS);
  return { url: urlOf(place, path, query), expiresAt: Math.floor(now / 1_000) * 1_000 + expiresS * 1_000 };
}

const METHODS = { get: 'GET', head: 'HEAD', put: 'PUT', delete: 'DELETE' } as const;

function unsigned(input: S3Input, { host, root }: BucketTarget): Unsigned {
  const nothing = { host, query: {}, headers: {}, body: new Uint8Array() };
  switch (input.operation) {
    case 'list':
      return { ...nothing, method: 'GET', path: root, query: listQuery(input) };
    case 'put': {
      const { bytes, type } = contentOf(input);
      const headers = { 'content-type': type, ...metadataHeaders(input) };
      return { ...nothing, method: 'PUT', path: root + keyOf(input), headers, body: bytes };
    }
    case 'get':
    case 'head':
    case 'delete':
      return { ...nothing, method: METHODS[input.operation], path: root + keyOf(input) };
    case 'presign':
      throw new Error('a link is not requested');
  }
}

/** Keys come URL-encoded, since XML cannot hold every character that a key may have. */
function listQuery({ prefix, delimiter, max_keys, continuation_token }: S3Input): Record<string, string> {
  return {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(max_keys ?? MAX_KEYS),
    ...(prefix === undefined ? {} : { prefix }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(continuation_token === undefined ? {} : { 'continuation-token': continuation_token }),
  };
}

function urlOf({ secure, host }: BucketTarget, path: string, query: Readonly<Record<string, string>>): string {
  const search = encodeQuery(query);
  return `${secure ? 'https' : 'http'}://${host}${encodePath(path)}${search === '' ? '' : `?${search}`}`;
}
