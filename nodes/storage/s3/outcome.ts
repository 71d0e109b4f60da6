import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { parseRetryAfter } from '../../../lib/retry-after';
import type { NodeHttp, Outcome } from '../../contract';
import { Refusal } from '../../data/computed';
import { parseXml } from '../../data/xml/parse';
import { readBody } from '../../http/http-request/body';
import { excerpt } from '../../redaction';
import { done, failFinally } from '../../outcome';
import type { S3Input } from './input';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** The outcome for a response. `subject` names the request in messages. */
export async function outcomeOfResponse(
  response: Response,
  input: S3Input,
  around: { readonly now: number; readonly subject: string; readonly mask: (text: string) => string },
): Promise<Outcome> {
  const { status } = response;
  if (status >= 300) {
    return status === 404 && input.operation === 'head' ? done({ exists: false }) : outcomeOfFailure(response, around);
  }
  switch (input.operation) {
    case 'head':
      return done({ exists: true, ...propertiesOf(response) });
    case 'put': {
      const { etag, version_id } = propertiesOf(response);
      return done({ ...(etag === undefined ? {} : { etag }), ...(version_id === undefined ? {} : { version_id }) });
    }
    case 'delete':
      return done({ deleted: true });
    case 'list':
      return outcomeOfList(response, around.subject);
    default: {
      const type = header(response, 'content-type') ?? '';
      const read = await readBody(response.body, type, input.response ?? 'auto');
      if (read.kind === 'unreadable') return failFinally('invalid_response', `${around.subject}: ${read.problem}`);
      return done({ body: read.body, ...propertiesOf(response) });
    }
  }
}

/** The properties of an object from the headers. */
function propertiesOf(response: Response): JsonObject {
  const size = header(response, 'content-length');
  const modified = Date.parse(header(response, 'last-modified') ?? '');
  const metadata = Object.entries(response.headers).flatMap(([name, value]): [string, Json][] =>
    name.startsWith('x-amz-meta-') ? [[name.slice('x-amz-meta-'.length), String(value)]] : [],
  );
  const known: [string, Json | undefined][] = [
    ['content_type', header(response, 'content-type')],
    ['size', size === undefined || response.body.length > 0 ? response.body.length : Number(size)],
    ['etag', header(response, 'etag')?.replaceAll('"', '')],
    ['version_id', header(response, 'x-amz-version-id')],
    ['last_modified', Number.isNaN(modified) ? undefined : new Date(modified).toISOString()],
    ['metadata', metadata.length === 0 ? undefined : Object.fromEntries(metadata)],
  ];
  return Object.fromEntries(known.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The last words of a server's error, by its own name for it or by the status. */
function outcomeOfFailure(
  response: Response,
  { now, subject, mask }: { readonly now: number; readonly subject: string; readonly mask: (text: string) => string },
): Outcome {
  const { status } = response;
  const text = response.body.toString('utf8', 0, 16_384);
  const name = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1] ?? null;
  const detail = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? '';
  const region = header(response, 'x-amz-bucket-region');
  const where = status < 400 && region !== undefined ? `; the bucket is in ${region}` : '';
  const message = `${subject} answered ${status}${name === null ? '' : ` ${name}`}${excerpt(mask(detail)) && `: ${excerpt(mask(detail))}`}${where}`;
  const retryable = status === 408 || status === 429 || status >= 500;
  const delay = retryable ? parseRetryAfter(header(response, 'retry-after') ?? '', now) : null;
  return {
    kind: 'fail',
    error: { code: codeOf(status), message },
    retryable,
    ...(delay === null ? {} : { retryAfterMs: delay }),
  };
}

function codeOf(status: number): string {
  if (status === 404) return 's3_not_found';
  if (status === 401 || status === 403) return 's3_denied';
  return 's3_status';
}

function outcomeOfList(response: Response, subject: string): Outcome {
  const unreadable = failFinally(
    'invalid_response',
    `${subject}: the response is not a list of objects, or it is too long; ask for fewer (max_keys)`,
  );
  try {
    const { ListBucketResult: result } = parseXml(response.body.toString(), LISTS);
    if (!isObject(result)) return unreadable;
    const objects = listOf(result.Contents).map(
      (entry): JsonObject => ({
        key: decoded(entry.Key),
        size: Number(entry.Size) || 0,
        etag: textOf(entry.ETag).replaceAll('"', ''),
        last_modified: textOf(entry.LastModified),
      }),
    );
    const prefixes = listOf(result.CommonPrefixes).map(({ Prefix }) => decoded(Prefix));
    const truncated = result.IsTruncated === 'true';
    const next = result.NextContinuationToken;
    return done({
      objects,
      prefixes,
      truncated,
      ...(typeof next === 'string' && truncated ? { next_token: next } : {}),
    });
  } catch (fault) {
    if (fault instanceof Refusal || fault instanceof URIError) return unreadable;
    throw fault;
  }
}

const LISTS = { lists: new Set(['Contents', 'CommonPrefixes']), trim: false };

const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keys come URL-encoded, with plus signs for blanks. */
const decoded = (value: unknown): string => decodeURIComponent(textOf(value).replaceAll('+', ' '));

const header = ({ headers }: Response, name: string): string | undefined => {
  const value = headers[name];
  return value === undefined ? undefined : String(value);
};
