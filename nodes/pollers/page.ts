import { isObject, type Json } from '../../lib/json';
import { ANSWER_LIMITS, JsonError } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import type { NodeHttp } from '../contract';
import type { PollWorld } from './contract';
import { statusFault, unreadable } from './fault';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** What a page says of itself, to be asked later whether it still is the same (RFC 9110 section 13.1). */
type Validators = { readonly etag: string | null; readonly modified: string | null };

/** A page as it is now, or that it is what it was. */
export type Page =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'page';
      readonly bytes: Uint8Array;
      readonly contentType: string;
      readonly validators: Validators;
      /** Where it came from, after redirects. */
      readonly url: string;
    };

/** Asks for a page, unless it is what it was. @throws PollFault, EgressError */
export async function readPage(
  { config, cursor, http, signal, now }: PollWorld,
  { accept }: { accept: string },
): Promise<Page> {
  const known = validatorsOf(cursor);
  const headers: Record<string, string> = { accept };
  for (const [name, value] of Object.entries(textsOf(config.headers))) headers[name.toLowerCase()] = value;
  if (known.etag !== null) headers['if-none-match'] = known.etag;
  else if (known.modified !== null) headers['if-modified-since'] = known.modified;
  const response = await http.request({ method: 'GET', url: String(config.url), headers, signal });
  if (response.status === 304 && isObject(cursor)) return { kind: 'same' };
  const fault = statusFault(response, now);
  if (fault !== null) throw fault;
  const contentType = String(response.headers['content-type'] ?? '');
  return { kind: 'page', bytes: response.body, contentType, validators: validatorsIn(response), url: response.url };
}

/** What a cursor keeps of a page. */
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

/** JSON in UTF-8, as it always is (RFC 8259 section 8.1). @throws PollFault */
export async function jsonInBytes(bytes: Uint8Array, what: string): Promise<Json> {
  try {
    return await parseJsonSliced(bytes, ANSWER_LIMITS);
  } catch (fault) {
    if (!(fault instanceof JsonError)) throw fault;
    throw unreadable(`${what} is not JSON`);
  }
}
