import { parseDuration } from '../../../lib/duration';
import type { Json } from '../../../lib/json';
import type { NodeContext, NodeHttp } from '../../contract';

type Scalar = string | number | boolean | null;
type Fields = Record<string, Scalar | Scalar[]>;

/** The input, validated by the schema. */
export interface HttpRequestInput {
  method?: string;
  url: string;
  headers?: Record<string, Scalar>;
  query?: Fields;
  body?: Json;
  json?: Json;
  form?: Fields;
  auth?:
    | { type: 'basic'; username: string; password: string }
    | { type: 'bearer'; token: string }
    | { type: 'api_key'; name: string; value: string; in?: 'header' | 'query' };
  connection?: string;
  follow_redirects?: boolean;
  fail_on_status?: boolean;
  timeout?: string | number;
  response?: 'auto' | 'json' | 'text' | 'base64';
}

/**
 * The request, or the problem. `hidden` are encoded forms of secrets (base64, URL-encoded), which the caller must redact
 * when it quotes the response, as `redact` knows only the plain values.
 */
type Plan =
  | { kind: 'send'; request: Parameters<NodeHttp['request']>[0]; hidden: string[] }
  | { kind: 'refuse'; problem: string };

/** The request for a configuration. Pure. The HTTP client checks the syntax of headers and URL. */
export function buildRequest(
  config: HttpRequestInput,
  ctx: Pick<NodeContext, 'signal'> & { readonly idempotencyKey?: string },
): Plan {
  const timeoutMs = config.timeout === undefined ? undefined : parseDuration(config.timeout);
  if (timeoutMs === null || timeoutMs === 0) {
    return { kind: 'refuse', problem: '"timeout" must be a duration above zero, as 20s' };
  }
  const payload = payloadOf(config);
  const credential = credentialOf(config.auth);
  const headers = new Map<string, string>(payload.type === null ? [] : [['content-type', payload.type]]);
  if (credential.header) headers.set(...credential.header);
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    if (value !== null) headers.set(name.toLowerCase(), String(value));
  }
  return {
    kind: 'send',
    hidden: credential.hidden,
    request: {
      method: config.method ?? 'GET',
      url: withQuery(config.url, [...fieldPairs(config.query), ...credential.query]),
      headers: Object.fromEntries(headers),
      body: payload.body,
      timeoutMs,
      maxRedirects: config.follow_redirects === false ? 0 : undefined,
      signal: ctx.signal,
      idempotencyKey: ctx.idempotencyKey,
    },
  };
}

function payloadOf({ body, json, form }: HttpRequestInput): { body?: string; type: string | null } {
  if (form !== undefined) {
    return { body: new URLSearchParams(fieldPairs(form)).toString(), type: 'application/x-www-form-urlencoded' };
  }
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (body === undefined || body === null) return { type: null };
  return typeof body === 'string'
    ? { body, type: 'text/plain; charset=utf-8' }
    : { body: JSON.stringify(body), type: 'application/json' };
}

interface Credential {
  header?: [name: string, value: string];
  query: [name: string, value: string][];
  hidden: string[];
}

function credentialOf(auth: HttpRequestInput['auth']): Credential {
  switch (auth?.type) {
    case undefined:
      return { query: [], hidden: [] };
    case 'basic': {
      const encoded = Buffer.from(`${auth.username}:${auth.password}`).toString('base64');
      return {
        header: ['authorization', `Basic ${encoded}`],
        query: [],
        hidden: [encoded, encodeURIComponent(encoded)],
      };
    }
    case 'bearer':
      return { header: ['authorization', `Bearer ${auth.token}`], query: [], hidden: [] };
    case 'api_key':
      return auth.in === 'query'
        ? {
            query: [[auth.name, auth.value]],
            hidden: [encodeURIComponent(wellFormed(auth.value)), formEncoded(auth.value)],
          }
        : { header: [auth.name.toLowerCase(), auth.value], query: [], hidden: [] };
  }
}

const formEncoded = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);

const fieldPairs = (fields: Fields = {}): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== null)
      .map((one): [string, string] => [name, String(one)]),
  );

/** Appends as text: parsing the URL would re-encode a query whose encoding matters, as for a signature. */
function withQuery(url: string, pairs: [string, string][]): string {
  const [base = ''] = url.split('#', 1);
  if (pairs.length === 0) return base;
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${new URLSearchParams(pairs)}`;
}

/** The text with unpaired surrogates replaced, as it is sent. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
