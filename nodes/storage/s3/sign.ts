import { createHash, createHmac } from 'node:crypto';

/** Who signs, and for which part of the world. */
export interface Signer {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of credentials that last a while; '' for those that stay. */
  readonly sessionToken: string;
  /** Whom a request is for; S3 unless it says so. */
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

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The headers with which a request is signed (AWS Signature Version 4). */
export function signedHeaders(request: Unsigned, signer: Signer, now: number): Record<string, string> {
  const payload = sha256(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': payload,
    'x-amz-date': timeOf(now),
    ...(signer.sessionToken === '' ? {} : { 'x-amz-security-token': signer.sessionToken }),
  };
  const all = { ...headers, host: request.host };
  const names = Object.keys(all).sort();
  const signature = signatureOf({ ...request, headers: all }, names, payload, signer, now);
  const credential = `${signer.accessKeyId}/${scopeOf(signer, now)}`;
  return {
    ...headers,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** The query with which anybody may send this request, without headers, for so many seconds. */
export function signedQuery(
  request: Omit<Unsigned, 'headers' | 'body'>,
  signer: Signer,
  now: number,
  expiresS: number,
): Record<string, string> {
  const query: Record<string, string> = {
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${signer.accessKeyId}/${scopeOf(signer, now)}`,
    'X-Amz-Date': timeOf(now),
    'X-Amz-Expires': String(expiresS),
    'X-Amz-SignedHeaders': 'host',
    ...(signer.sessionToken === '' ? {} : { 'X-Amz-Security-Token': signer.sessionToken }),
  };
  const signed = { ...request, query, headers: { host: request.host }, body: NOTHING };
  return { ...query, 'X-Amz-Signature': signatureOf(signed, ['host'], 'UNSIGNED-PAYLOAD', signer, now) };
}

/** A path as it is signed and sent: every character but the unreserved ones (RFC 3986) and the slash is escaped. */
export const encodePath = (path: string): string => path.split('/').map(escaped).join('/');

/** A query likewise, in the order of its names. */
export const encodeQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');

const NOTHING = new Uint8Array();

function signatureOf(request: Unsigned, names: string[], payload: string, signer: Signer, now: number): string {
  const path = encodePath(request.path);
  const canonical = [
    request.method,
    // All services but S3 encode a path once more.
    signer.service === undefined ? path : encodePath(path),
    encodeQuery(request.query),
    ...names.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/\s+/g, ' ')}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');
  const toSign = [ALGORITHM, timeOf(now), scopeOf(signer, now), sha256(canonical)].join('\n');
  const key = [timeOf(now).slice(0, 8), signer.region, serviceOf(signer), 'aws4_request'].reduce<string | Buffer>(
    (made, part) => createHmac('sha256', made).update(part).digest(),
    `AWS4${signer.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex');
}

const scopeOf = (signer: Signer, now: number): string =>
  `${timeOf(now).slice(0, 8)}/${signer.region}/${serviceOf(signer)}/aws4_request`;

const serviceOf = ({ service = 's3' }: Signer): string => service;

/** 20300101T000000Z. */
const timeOf = (now: number): string => new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, '');

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Half a character, which has no bytes in UTF-8, becomes the one that stands for such. */
const escaped = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
