import { isObject, type Json } from '../../lib/json';
import { ANSWER_LIMITS, JsonError } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import type { NodeHttp } from '../contract';
import type { PollContext } from './contract';
import { statusFault, unreadable } from './fault';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** Validators for conditional requests (RFC 9110 section 13.1). */
type Validators = { readonly etag: string | null; readonly modified: string | null };

/** A page, or that it is unchanged. */
export type Page =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'page';
      readonly bytes: Uint8Array;
      readonly contentType: string;
      readonly validators: Validators;
      /** After redirects. */
      readonly url: string;
    };

/** Fetches a page, unless it is unchanged since the last poll. @throws PollFault, EgressError */
export async function readPage(
  { config, cursor, http, signal, now }: PollContext,
  { accept }: { accept: string },
): Promise<Page> {
  const known = validatorsOf(cursor);
  const headers: Record<string, string> = { accept };
  for (const [name, value] of Object.entries(textsOf(config.headers))) headers[name.toLowerCase()] = value;
  if (known.etag !== null) headers['if-none-match'] = known.etag;
  else if (known.modified !== null) headers['if-modified-since'] = known.modified;
  const response = await http.request({ method: 'GET', url: String(config.url), headers, signal });
  if (response.status === 304 && isObject(cursor)) return { kind: 'unchanged' };
  const fault = statusFault(response, now);
  if (fault !== null) throw fault;
  const contentType = String(response.headers['content-type'] ?? '');
  return { kind: 'page', bytes: response.body, contentType, validators: validatorsIn(response), url: response.url };
}

/** The validators in a cursor. */
const validatorsOf = (cursor: Json): Validators => {
  const { etag, modified } = isObject(cursor) ? cursor : {};
  return { etag: typeof etag === 'string' ? etag : null, modified: typeof modified === 'string' ? modified : null };
};

const MAX_VALIDATOR_CHARS = 1_000;

const validatorsIn = ({ headers }: Response): Validators => ({
  etag: short(headers.etag),
  modified: short(headers['last-modified']),
});

const short = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' && value.length <= MAX_VALIDATOR_CHARS ? value : null;

const textsOf = (value: Json | undefined): Record<string, string> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)])) : {};

/** Parses JSON, which is always UTF-8 (RFC 8259 section 8.1). @throws PollFault */
export async function parseJsonBytes(bytes: Uint8Array, subject: string): Promise<Json> {
  try {
    return await parseJsonSliced(bytes, ANSWER_LIMITS);
  } catch (fault) {
    if (!(fault instanceof JsonError)) throw fault;
    throw unreadable(`${subject} is not JSON`);
  }
}
