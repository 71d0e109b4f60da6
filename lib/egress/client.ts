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

/** Default limits of a request, including redirects. */
interface EgressLimits {
  /** For the whole exchange, from name lookup to the last decoded byte. */
  timeoutMs: number;
  connectTimeoutMs: number;
  /** For the body, both as sent and decoded. */
  maxBytes: number;
  maxRedirects: number;
}

const DEFAULT_LIMITS: EgressLimits = {
  timeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
};

/** Maximum delay of setTimeout; a larger one would fire at once. */
const MAX_TIMER_MS = 0x7fffffff;

export interface EgressOptions {
  allow: readonly EgressRule[];
  resolver?: Resolver;
  limits?: Partial<EgressLimits>;
  /** Additional certificate authorities, in PEM. */
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
   * Called when a connection exists and nothing has been sent: false cancels the request. A process that stalled may
   * have lost its right to the effect before any timer or signal fires.
   */
  mayBegin?: () => boolean;
  /** Sent as `Idempotency-Key`, except with GET and HEAD and where the headers have one. */
  idempotencyKey?: string;
  /**
   * Receives the body of a success in parts. The request then asks for an uncompressed body; a compressed one is not
   * reported.
   */
  onPart?: OnPart;
}

interface EgressResponse {
  status: number;
  /** Lower-case names; repeated ones joined by a comma, `set-cookie` a list. */
  headers: Record<string, string | string[]>;
  body: Buffer;
  /** The final URL, after redirects. */
  url: string;
  /** True when a redirect led from https to http. */
  downgraded: boolean;
}

/** The HTTP client for outbound requests. Connections are pooled; `close` drops them and fails pending requests. */
export interface Egress {
  /** Rejects only with EgressError. */
  request(request: EgressRequest): Promise<EgressResponse>;
  close(): Promise<void>;
}

/**
 * An HTTP client that reaches only public addresses and those that `allow` admits. The check is made at connection
 * time, after name lookup, so no spelling of a host, redirect or DNS change bypasses it. Proxy settings of the
 * environment are ignored: a proxy would do its own lookup.
 */
export function createEgress(options: EgressOptions): Egress {
  const limits: EgressLimits = { ...DEFAULT_LIMITS, ...options.limits };
  let opened: Agent | undefined;
  let closed = false;
  // Loads undici with the first request.
  const agent = (): Agent =>
    (opened ??= new Agent({
      connect: guardedConnector(options, limits.connectTimeoutMs),
      // One deadline covers the exchange, so undici's own timeouts are disabled.
      headersTimeout: 0,
      bodyTimeout: 0,
    }));

  const follow = async (request: EgressRequest, signal: AbortSignal): Promise<EgressResponse> => {
    const { maxBytes = limits.maxBytes, maxRedirects = limits.maxRedirects, mayBegin = always, onPart } = request;
    let hop = firstHop(request);
    let downgraded = false;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchange(agent(), hop, { maxBytes, mayBegin, ...(onPart && { onPart }) }, signal);
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
      if (closed) throw new EgressError('aborted', 'the client is closed');
      if (signal?.aborted) throw aborted();
      const stop = new AbortController();
      const onAbort = (): void => stop.abort(aborted());
      const onTimeout = (): void => stop.abort(new EgressError('timeout', `no whole answer within ${timeoutMs} ms`));
      const timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        // The race settles at the signal even during a name lookup or connection attempt, which cannot be cancelled.
        return await Promise.race([follow(request, stop.signal), rejectionOf(stop.signal)]);
      } catch (thrown) {
        if (closed) throw new EgressError('aborted', 'the client is closed', { cause: thrown });
        throw toEgressError(thrown, 'the host');
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    async close() {
      closed = true;
      await opened?.destroy();
    },
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
    throw new EgressError('protocol', `the method ${method} is not supported`);
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

/** Resolves, checks and dials the checked address. A new connector each time, since its lookup pins the address. */
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
