/** Whether the same request may succeed later, by what went wrong. A closed table: every kind is judged here. */
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
 * What stopped an outbound request: `blocked` by the address rules, no `dns` answer, no or a broken connection
 * (`connect`), out of time, a body over its bound, `aborted` by the caller, a malformed request or answer
 * (`protocol`, an untrusted certificate included), or more `redirects` than allowed.
 */
export type EgressErrorKind = keyof typeof RETRYABLE;

/**
 * The one error of the outbound client. Messages name the host at most: never the query, the headers or an address
 * that a name stands for, because they are shown to tenants.
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

/** Any failure of an exchange with `host` as an EgressError; the original is kept as its cause. */
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
 * The `code` of a system, zlib or undici error, its name where it has none (undici's parser errors). Structural, since
 * such errors can come from another realm.
 */
export function codeOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'unknown cause';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  return 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'unknown cause';
}
