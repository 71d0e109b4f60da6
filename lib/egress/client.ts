import { rootCertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { ACCEPTED_ENCODINGS, decodeBody } from './decode';
import { EgressError, toEgressError } from './error';
import { exchange, type OnPart } from './exchange';
import { isHeaderValue, isToken, requestHeaders } from './headers';
import { type Hop, nextHop } from './redirect';
import { checkedAddresses, pinnedLookup, type Resolver, systemResolver } from './resolve';
import type { EgressRule } from './rules';
import { parseTarget } from './target';

/** Bounds of one request, redirects included; a request may ask for less, or for more. */
export interface EgressLimits {
  /** For the whole exchange, from name lookup to the last byte unpacked. */
  timeoutMs: number;
  connectTimeoutMs: number;
  /** For the body, as sent and as unpacked. */
  maxBytes: number;
  maxRedirects: number;
}

export const DEFAULT_LIMITS: EgressLimits = {
  timeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
};

/** What setTimeout can hold; more would fire at once. */
const MAX_TIMER_MS = 0x7fffffff;

export interface EgressOptions {
  allow: readonly EgressRule[];
  resolver?: Resolver;
  limits?: Partial<EgressLimits>;
  /** Certificate authorities to trust besides the well-known ones, in PEM. */
  ca?: string;
}

export interface EgressRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  timeoutMs?: number;
  maxBytes?: number;
  /** 0 returns a redirect as it is. */
  maxRedirects?: number;
  signal?: AbortSignal;
  /**
   * Asked when a connection is there and nothing has been sent: false ends the request. A process that stood still may
   * find the connection made, and its right to the effect gone, before any timer or signal can tell it.
   */
  mayBegin?: () => boolean;
  /** Sent as `Idempotency-Key`, except with GET and HEAD and where the headers have one. */
  idempotencyKey?: string;
  /**
   * Shown a success as it comes, before it is whole. The request then asks for a body that is not packed; one that is
   * packed all the same is not shown.
   */
  onPart?: OnPart;
}

export interface EgressResponse {
  status: number;
  /** Lower-case names; repeated ones joined by a comma, `set-cookie` a list. */
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** Where the answer came from, after redirects. */
  url: string;
  /** True when a redirect led from https to http. */
  downgraded: boolean;
}

/** The guarded way out. Its connections are shared and kept alive; `close` drops them and fails what is under way. */
export interface Egress {
  /** Rejects with EgressError and nothing else. */
  request(request: EgressRequest): Promise<EgressResponse>;
  close(): Promise<void>;
}

/**
 * An HTTP client that reaches public addresses and what `allow` admits, and nothing else. The check sits where a
 * connection is made, after name lookup, so no spelling of a host, redirect or change of DNS passes it by.
 * Proxy settings of the environment are not read: a proxy would do its own lookup.
 */
export function createEgress(options: EgressOptions): Egress {
  const limits: EgressLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const agent = new Agent({
    connect: guardedConnector(options, limits.connectTimeoutMs),
    // One deadline covers the exchange, so undici's own clocks are off.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const follow = async (request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> => {
    const { maxBytes = limits.maxBytes, maxRedirects = limits.maxRedirects, mayBegin = always, onPart } = request;
    let hop = firstHop(request);
    let downgraded = false;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchange(agent, hop, { maxBytes, mayBegin, ...(onPart && { onPart }) }, signal);
      const next = maxRedirects === 0 ? null : nextHop(hop, answer.status, answer.headers.location);
      if (!next) {
        const encoding = String(answer.headers['content-encoding'] ?? '');
        return { ...answer, body: await decodeBody(answer.body, encoding, maxBytes), url: hop.target.url, downgraded };
      }
      if (redirects >= maxRedirects) throw new EgressError('redirects', `more than ${maxRedirects} redirects`);
      downgraded ||= hop.target.secure && !next.target.secure;
      hop = next;
    }
  };

  return {
    async request(request) {
      const { timeoutMs = limits.timeoutMs, signal } = request;
      if (agent.destroyed) throw new EgressError('aborted', 'the client is closed');
      if (signal?.aborted) throw aborted();
      const stop = new AbortController();
      const onAbort = (): void => stop.abort(aborted());
      const onTimeout = (): void => stop.abort(new EgressError('timeout', `no whole answer within ${timeoutMs} ms`));
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        // The race settles at the signal even while a name is looked up or a connection made, which cannot be stopped.
        return await Promise.race([follow(request, stop.signal), rejectionOf(stop.signal)]);
      } catch (thrown) {
        if (agent.destroyed) throw new EgressError('aborted', 'the client is closed', { cause: thrown });
        throw toEgressError(thrown, 'the host');
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    close: () => agent.destroy(),
  };
}

const always = (): boolean => true;

const aborted = (): EgressError => new EgressError('aborted', 'the request was aborted');

const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

function firstHop(request: EgressRequest): Hop {
  const method = request.method.toUpperCase();
  if (!isToken(method)) throw new EgressError('protocol', 'the method is malformed');
  // CONNECT would open a tunnel past the checks; TRACE echoes credentials.
  if (method === 'CONNECT' || method === 'TRACE')
    throw new EgressError('protocol', `the method ${method} is not taken`);
  const ours: Record<string, string> = {
    'user-agent': 'everstep',
    accept: '*/*',
    'accept-encoding': request.onPart === undefined ? ACCEPTED_ENCODINGS : 'identity',
  };
  const { idempotencyKey } = request;
  if (idempotencyKey !== undefined && method !== 'GET' && method !== 'HEAD') {
    if (!isHeaderValue(idempotencyKey)) throw new EgressError('protocol', 'the idempotency key is malformed');
    ours['idempotency-key'] = idempotencyKey;
  }
  return {
    method,
    target: parseTarget(request.url),
    headers: requestHeaders(request.headers ?? {}, ours),
    body: request.body ?? null,
  };
}

/** Resolves, checks, and dials exactly what was checked; a fresh connector each time, since its lookup is the pin. */
function guardedConnector(options: EgressOptions, timeout: number): buildConnector.connector {
  const { allow, resolver = systemResolver } = options;
  const ca = options.ca === undefined ? undefined : [...rootCertificates, options.ca];
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    checkedAddresses(target.hostname, port, allow, resolver).then(
      (addresses) => {
        const lookup = pinnedLookup(addresses);
        buildConnector({ timeout, lookup, autoSelectFamily: true, ca })(target, callback);
      },
      (thrown: unknown) => callback(toEgressError(thrown, target.hostname), null),
    );
  };
}
