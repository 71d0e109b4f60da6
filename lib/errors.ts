import { Errors } from 'moleculer';

/**
 * Every code that an answer can carry, with its HTTP status and whether the same call may succeed later.
 * Codes are promises to clients: add, never rename.
 */
export const ERRORS = {
  invalid_request: { status: 400, retryable: false },
  invalid_json: { status: 400, retryable: false },
  invalid_dsl: { status: 400, retryable: false },
  /** The payload of a start is not what the workflow's `inputs` ask for. */
  invalid_input: { status: 400, retryable: false },
  invalid_query: { status: 400, retryable: false },
  unknown_secret: { status: 400, retryable: false },
  /** A token from a mail or an invitation: unknown, used, expired or replaced. */
  invalid_token: { status: 400, retryable: false },
  /** What an identity provider or a browser brought back is not what was asked for, is too late, or was used before. */
  sign_in_failed: { status: 400, retryable: false },
  /** What a provider or a browser brought back to make a connection is not what was asked for, is too late, or was used before. */
  oauth_failed: { status: 400, retryable: false },
  unauthenticated: { status: 401, retryable: false },
  invalid_login: { status: 401, retryable: false },
  quota_exceeded: { status: 402, retryable: false },
  forbidden: { status: 403, retryable: false },
  /** The tenant's people sign in by its identity provider. */
  sso_required: { status: 403, retryable: false },
  /** The identity provider vouches for somebody who may not come in. */
  sign_in_refused: { status: 403, retryable: false },
  workflow_limit: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  not_acceptable: { status: 406, retryable: false },
  conflict: { status: 409, retryable: false },
  slug_taken: { status: 409, retryable: false },
  /** A connection's token has ended, and there is nothing to renew it with. */
  connection_expired: { status: 409, retryable: false },
  /** The provider takes a connection's token no more. */
  connection_revoked: { status: 409, retryable: false },
  workflow_disabled: { status: 409, retryable: false },
  workflow_pending: { status: 409, retryable: false },
  execution_ended: { status: 409, retryable: false },
  execution_running: { status: 409, retryable: false },
  already_decided: { status: 409, retryable: false },
  idempotency_mismatch: { status: 409, retryable: false },
  idempotency_in_progress: { status: 409, retryable: true },
  /** A conditional request whose condition does not hold. */
  precondition_failed: { status: 412, retryable: false },
  payload_too_large: { status: 413, retryable: false },
  unsupported_media_type: { status: 415, retryable: false },
  range_not_satisfiable: { status: 416, retryable: false },
  rate_limited: { status: 429, retryable: true },
  execution_failed: { status: 500, retryable: false },
  /** A sealed value does not open: another master key, or damage. Trying again changes nothing. */
  sealed_unreadable: { status: 500, retryable: false },
  internal: { status: 500, retryable: false },
  provider_failed: { status: 502, retryable: true },
  /** The operator has not set what this provider needs; the message names the variables. */
  provider_not_configured: { status: 503, retryable: false },
  unavailable: { status: 503, retryable: true },
  timed_out: { status: 504, retryable: true },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

/** A stable word from the table above. */
export type ErrorCode = keyof typeof ERRORS;

/** One of several things that are wrong: where (a path such as `steps[2].config.url`), what, and how to mend it. */
export interface ErrorDetail {
  path: string;
  message: string;
  hint?: string;
}

/** What may ride along with an error to the client. */
export interface ErrorData {
  details?: ErrorDetail[];
  /** Seconds, for the `Retry-After` header. */
  retry_after?: number;
  /** Further members of the answer's body. */
  body?: Record<string, unknown>;
}

/**
 * The one error class of the services. `type` is the code, `code` the HTTP status, as Moleculer carries them
 * between nodes; there only the fields survive, so callers compare `err.type` and never use `instanceof`.
 */
export class AppError extends Errors.MoleculerError {
  constructor(code: ErrorCode, message: string, data: ErrorData = {}, options?: { cause?: unknown }) {
    super(message, ERRORS[code].status, code, data);
    this.name = 'AppError';
    this.retryable = ERRORS[code].retryable;
    if (options?.cause !== undefined) this.cause = options.cause;
  }
}

/** The code of any thrown value when it is one of ours, however many nodes it crossed; else undefined. */
export function errorCode(thrown: unknown): ErrorCode | undefined {
  const type = typeof thrown === 'object' && thrown !== null && 'type' in thrown ? thrown.type : undefined;
  return typeof type === 'string' && Object.hasOwn(ERRORS, type) ? (type as ErrorCode) : undefined;
}

/** The message of any thrown value. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
