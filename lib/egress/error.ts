/** Whether a retry may succeed, by error kind. */
const RETRYABLE = {
  blocked: false,
  dns: true,
  connect: true,
  timeout: true,
  too_large: false,
  aborted: false,
  protocol: false,
  redirects: false,
} as const;

/**
 * Why an outbound request failed: `blocked` by the address rules, no `dns` answer, no or a broken connection
 * (`connect`), `timeout`, a body that is `too_large`, `aborted` by the caller, a malformed request or response or an
 * untrusted certificate (`protocol`), or too many `redirects`.
 */
export type EgressErrorKind = keyof typeof RETRYABLE;

/**
 * The error of the egress client. Messages are shown to tenants: they name at most the host, never the query, the
 * headers or an address behind a name.
 */
export class EgressError extends Error {
  readonly retryable: boolean;

  constructor(
    readonly kind: EgressErrorKind,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'EgressError';
    this.retryable = RETRYABLE[kind];
  }
}

const CERTIFICATE = /CERT|UNABLE_TO_(?:GET|VERIFY|DECRYPT)|SELF_SIGNED|CRL_/;
const MALFORMED =
  /^(?:HTTPParserError|HPE_|UND_ERR_(?:INVALID|HEADERS_OVERFLOW|REQ_CONTENT|RES_CONTENT|NOT_SUPPORTED))/;

/** Converts any failure of an exchange with `host`; the original is the cause. */
export function toEgressError(thrown: unknown, host: string): EgressError {
  if (thrown instanceof EgressError) return thrown;
  const code = codeOf(thrown);
  const cause = { cause: thrown };
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new EgressError('timeout', `${host} did not accept a connection in time`, cause);
  }
  if (CERTIFICATE.test(code))
    return new EgressError('protocol', `the certificate of ${host} is refused: ${code}`, cause);
  if (MALFORMED.test(code)) return new EgressError('protocol', `the exchange with ${host} broke HTTP: ${code}`, cause);
  return new EgressError('connect', `the connection to ${host} failed: ${code}`, cause);
}

/**
 * The `code` of a system, zlib or undici error, or its name without one (undici's parser errors). Structural, since
 * such errors may come from another realm.
 */
export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown cause';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'unknown cause';
}
