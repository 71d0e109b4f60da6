import { decodeBase64 } from '../../../lib/base64';
import { parseDuration } from '../../../lib/duration';
import { isHeaderValue, isToken } from '../../../lib/egress';
import type { Json } from '../../../lib/json';
import type { Effect } from '../../contract';
import type { Signer } from './sign';

export const OPERATIONS = ['get', 'put', 'delete', 'list', 'head', 'presign'] as const;
type Operation = (typeof OPERATIONS)[number];

/** The input, validated by the schema. */
export interface S3Input {
  operation: Operation;
  endpoint?: string;
  region?: string;
  bucket: string;
  path_style?: boolean;
  credentials: { access_key_id: string; secret_access_key: string; session_token?: string };
  key?: string;
  body?: Json;
  body_base64?: string;
  content_type?: string;
  metadata?: Record<string, string>;
  response?: 'auto' | 'json' | 'text' | 'base64';
  prefix?: string;
  delimiter?: string;
  max_keys?: number;
  continuation_token?: string;
  method?: 'GET' | 'PUT';
  expires?: string | number;
  timeout?: string | number;
}

/** The location of objects, and the credentials. */
export interface BucketTarget {
  readonly secure: boolean;
  readonly host: string;
  /** The path before the key, with slashes. */
  readonly root: string;
  readonly signer: Signer;
}

/** An invalid configuration. The message is shown to the author of the workflow. */
export class InvalidInputError extends Error {}

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;
const MAX_KEY_BYTES = 1_024;
const MAX_EXPIRES_MS = 7 * 86_400_000;
const DEFAULT_EXPIRES_MS = 3_600_000;
const DEFAULT_TIMEOUT_MS = 60_000;

/** Reads and links have no effect; an operation that is an expression may change something. */
export const effectOf = ({ operation }: { readonly operation?: unknown }): Effect => {
  if (operation === 'presign') return 'pure';
  return operation === 'get' || operation === 'list' || operation === 'head' ? 'read' : 'write';
};

/** @throws InvalidInputError */
export function placeOf(input: S3Input): BucketTarget {
  const { bucket, endpoint, region = 'us-east-1', credentials } = input;
  if (!BUCKET.test(bucket)) throw new InvalidInputError('"bucket" must be the name of a bucket');
  if (!/^[a-z0-9-]{1,64}$/.test(region)) throw new InvalidInputError('"region" must look like eu-central-1');
  const url = endpointOf(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const byPath = input.path_style ?? endpoint !== undefined;
  const {
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: sessionToken = '',
  } = credentials;
  if (![accessKeyId, sessionToken].every(isHeaderValue))
    throw new InvalidInputError('"credentials" have a forbidden character');
  return {
    secure: url.protocol === 'https:',
    host: byPath ? url.host : `${bucket}.${url.host}`,
    root: byPath ? `/${bucket}/` : '/',
    signer: { region, accessKeyId, secretAccessKey, sessionToken },
  };
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const bare = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url === null || !bare || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError('"endpoint" must look like https://minio.example.com:9000');
  }
  return url;
}

/** The key of an object. @throws InvalidInputError */
export function keyOf({ key, operation }: S3Input): string {
  if (key === undefined) throw new InvalidInputError(`"key" is missing: ${operation} needs it`);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) throw new InvalidInputError(`"key" has more than ${MAX_KEY_BYTES} bytes`);
  // On the way they would be taken for folders to leave, and another object be meant.
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw new InvalidInputError('"key" must not have . or .. as a part');
  return key;
}

/** The content to store, and its type. @throws InvalidInputError */
export function contentOf({ body, body_base64, content_type }: S3Input): { bytes: Buffer; type: string } {
  if (content_type !== undefined && !isHeaderValue(content_type))
    throw new InvalidInputError('"content_type" is malformed');
  if (body_base64 !== undefined) {
    const bytes = decodeBase64(body_base64);
    if (bytes === null) throw new InvalidInputError('"body_base64" is not valid base64');
    return { bytes, type: content_type ?? 'application/octet-stream' };
  }
  if (body === undefined) throw new InvalidInputError('"body" is missing: put needs it, or "body_base64"');
  return typeof body === 'string'
    ? { bytes: Buffer.from(body), type: content_type ?? 'text/plain; charset=utf-8' }
    : { bytes: Buffer.from(JSON.stringify(body)), type: content_type ?? 'application/json' };
}

/** Headers for words that are kept with an object. @throws InvalidInputError */
export function metadataHeaders({ metadata = {} }: S3Input): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => {
      if (!isToken(name) || !isHeaderValue(value)) throw new InvalidInputError('"metadata" has a forbidden character');
      return [`x-amz-meta-${name.toLowerCase()}`, value];
    }),
  );
}

/** The validity of a link in whole seconds. @throws InvalidInputError */
export function expiresOf({ expires }: S3Input): number {
  const ms = expires === undefined ? DEFAULT_EXPIRES_MS : parseDuration(expires);
  if (ms === null || ms < 1_000 || ms > MAX_EXPIRES_MS)
    throw new InvalidInputError('"expires" must be 1 second to 7 days');
  return Math.floor(ms / 1_000);
}

/** @throws InvalidInputError */
export function timeoutOf({ timeout }: S3Input): number {
  const ms = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout);
  if (ms === null || ms === 0) throw new InvalidInputError('"timeout" must be a duration above zero, as 20s');
  return ms;
}
