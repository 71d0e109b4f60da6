import { Hash } from '@smithy/hash-node';
import { SignatureV4 } from '@smithy/signature-v4';

/** Who signs, and for which part of the world. */
export interface Signer {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that last a while; '' for those that stay. */
  readonly sessionToken: string;
  /** The service of the request. Default: S3. */
  readonly service?: string;
}

/** A request as it will be sent. Path and values are plain text, not yet encoded. */
export interface Unsigned {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const HASH_OF_BODY = 'x-amz-content-sha256';

/** The headers with which a request is signed (AWS Signature Version 4). */
export async function signedHeaders(request: Unsigned, signer: Signer, now: number): Promise<Record<string, string>> {
  const signed = await signatureOf(signer).sign(partsOf(request, request.headers, request.body), {
    signingDate: new Date(now),
  });
  // The HTTP client writes it.
  const { host: _host, ...headers } = signed.headers;
  return headers;
}

/** The query with which anybody may send this request, without headers, for so many seconds. */
export async function signedQuery(
  request: Omit<Unsigned, 'headers' | 'body'>,
  signer: Signer,
  now: number,
  expiresS: number,
): Promise<Record<string, string>> {
  // The signature of a link does not cover the body.
  const unsigned = new Set([HASH_OF_BODY]);
  const { query } = await signatureOf(signer).presign(partsOf(request, { [HASH_OF_BODY]: 'UNSIGNED-PAYLOAD' }), {
    signingDate: new Date(now),
    expiresIn: expiresS,
    unhoistableHeaders: unsigned,
    unsignableHeaders: unsigned,
  });
  return query as Record<string, string>;
}

/** A path as it is signed and sent: all characters except unreserved ones (RFC 3986) and slashes are escaped. */
export const encodePath = (path: string): string => path.split('/').map(escaped).join('/');

/** A query likewise, in the order of its names. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');

const signatureOf = ({ service = 's3', region, accessKeyId, secretAccessKey, sessionToken }: Signer): SignatureV4 =>
  new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) },
    sha256: Hash.bind(null, 'sha256'),
    // All services but S3 encode a path once more.
    uriEscapePath: service !== 's3',
  });

const partsOf = (
  { method, host, path, query }: Omit<Unsigned, 'headers' | 'body'>,
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array,
) => ({
  method,
  protocol: 'https:',
  hostname: host,
  path: encodePath(path),
  query: Object.fromEntries(Object.entries(query).map((pair) => pair.map(wellFormed))) as Record<string, string>,
  headers: { ...headers, host },
  body,
});

/** Unpaired surrogates, which UTF-8 cannot encode, become replacement characters. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

const escaped = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
