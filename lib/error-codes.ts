/** Properties of an error that follow from its code. */
interface ErrorDefinition {
  readonly status: number;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  readonly meaning: string;
  readonly action: string;
}

/** Every error code of the API. Clients depend on the codes: add, never rename. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    retryable: false,
    meaning: 'A header, parameter or member of the body is missing or has a wrong value.',
    action: 'Correct what `error` and `details` name.',
  },
  invalid_json: {
    status: 400,
    retryable: false,
    meaning: 'The body is not valid JSON, or nests too deep.',
    action: 'Send JSON; `error` names the line and column.',
  },
  invalid_dsl: {
    status: 400,
    retryable: false,
    meaning: 'The workflow document breaks a rule of the language.',
    action:
      'Correct the paths that `details` names; `POST /api/v1/workflows/validate` checks a document without saving it.',
  },
  invalid_input: {
    status: 400,
    retryable: false,
    meaning: "The payload does not match the workflow's `inputs`.",
    action: 'Send the inputs that the workflow declares; `details` names each fault.',
  },
  invalid_query: {
    status: 400,
    retryable: false,
    meaning: 'A query or filter cannot be read, or selects too much.',
    action: 'Correct it at the `position` in the answer, or narrow it.',
  },
  unknown_secret: {
    status: 400,
    retryable: false,
    meaning: 'A secret that the workflow or the setting names does not exist.',
    action: 'Create it with `POST /api/v1/secrets`.',
  },
  invalid_token: {
    status: 400,
    retryable: false,
    meaning: 'A token from a mail or an invitation is unknown, used, expired or replaced.',
    action: 'Ask for a new mail or invitation.',
  },
  sign_in_failed: {
    status: 400,
    retryable: false,
    meaning:
      'The response of the identity provider does not match the sign-in that this browser started, or what completes a sign-in came too late or was used before.',
    action: 'Start the sign-in again.',
  },
  oauth_failed: {
    status: 400,
    retryable: false,
    meaning:
      'The response of the provider does not match the connection that this browser started, came too late, or was used before.',
    action: 'Start connecting the account again.',
  },
  unauthenticated: {
    status: 401,
    retryable: false,
    meaning: 'The request has no credential, or one that is invalid, expired or revoked.',
    action: 'Log in again, or use another API key.',
  },
  invalid_login: {
    status: 401,
    retryable: false,
    meaning: 'The e-mail address, the password or the tenant is wrong.',
    action: 'Check them, or reset the password.',
  },
  invalid_code: {
    status: 401,
    retryable: false,
    meaning: 'The code of an authenticator app or of recovery is wrong, expired or used.',
    action: 'Wait for the next code, or take another recovery code.',
  },
  invalid_passkey: {
    status: 401,
    retryable: false,
    meaning:
      'The answer of the passkey is not valid: for another account or address, not verified, or of a removed passkey.',
    action: 'Ask for a new challenge and try again at the address of the installation, or sign in with the password.',
  },
  second_factor_challenge: {
    status: 401,
    retryable: false,
    meaning:
      'The sign-in lacks the second factor of the account; `second_factor` has a `challenge`, its `methods` and its end.',
    action: 'Send the challenge with a code or a passkey to `POST /api/v1/auth/second-factor`.',
  },
  quota_exceeded: {
    status: 402,
    retryable: false,
    meaning: 'A limit of the plan is reached; `limit` has its name and `max` its value.',
    action: 'Remove what is no longer needed, wait for the next period, or change the plan.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    meaning: 'The credential is valid, but its role does not allow this.',
    action: 'Ask an admin or owner of the tenant.',
  },
  sso_required: {
    status: 403,
    retryable: false,
    meaning: 'Sign-in with a password or a passkey is disabled for this tenant.',
    action: 'Sign in with SSO.',
  },
  second_factor_required: {
    status: 403,
    retryable: false,
    meaning: 'The tenant requires a second factor, and the account has none.',
    action: 'Set one up: `POST /api/v1/auth/totp`, or `POST /api/v1/auth/passkeys/enrolment`.',
  },
  reauthentication_required: {
    status: 403,
    retryable: false,
    meaning: 'The session has not been confirmed within ten minutes.',
    action: 'Send the password, a code or a passkey to `POST /api/v1/auth/confirm`, then repeat the request.',
  },
  sign_in_refused: {
    status: 403,
    retryable: false,
    meaning: 'The identity provider confirmed a person who may not sign in to this tenant.',
    action: 'Ask an owner of the tenant for an invitation, or to change the SSO settings.',
  },
  workflow_limit: {
    status: 403,
    retryable: false,
    meaning: 'The plan allows no further active workflow; `max` has the limit.',
    action: 'Disable a workflow, or change the plan.',
  },
  not_found: {
    status: 404,
    retryable: false,
    meaning: 'The resource does not exist, or belongs to another tenant.',
    action: 'Check the id and the credential.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    meaning: 'The path exists, but not with this method.',
    action: 'Use a method of the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    retryable: false,
    meaning: 'The resource has no representation that the `Accept` header allows.',
    action: 'Change the `Accept` header.',
  },
  conflict: {
    status: 409,
    retryable: false,
    meaning: 'The state of the resource does not allow this, or another request changed it at the same time.',
    action: 'Read the resource, then decide again; `error` names the reason.',
  },
  slug_taken: {
    status: 409,
    retryable: false,
    meaning: 'The slug belongs to another tenant or chat.',
    action: 'Choose another slug.',
  },
  connection_expired: {
    status: 409,
    retryable: false,
    meaning: "The connection's access token expired, and there is no refresh token.",
    action: 'Connect the account again.',
  },
  connection_revoked: {
    status: 409,
    retryable: false,
    meaning: "The provider no longer accepts the connection's token.",
    action: 'Connect the account again.',
  },
  workflow_disabled: {
    status: 409,
    retryable: false,
    meaning: 'The workflow is disabled.',
    action: 'Enable it, then start it.',
  },
  workflow_pending: {
    status: 409,
    retryable: false,
    meaning: 'The workflow, or its latest change, waits for approval.',
    action: 'Ask an admin to approve it.',
  },
  execution_ended: {
    status: 409,
    retryable: false,
    meaning: 'The execution has ended.',
    action: 'Start a new execution, or retry this one.',
  },
  execution_running: {
    status: 409,
    retryable: false,
    meaning: 'The execution has not ended.',
    action: 'Wait for its end, or cancel it.',
  },
  already_decided: {
    status: 409,
    retryable: false,
    meaning: 'The approval was decided before.',
    action: 'Nothing; the first decision counts.',
  },
  idempotency_mismatch: {
    status: 409,
    retryable: false,
    meaning: 'The idempotency key was used before with another body.',
    action: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    meaning: 'The first request with this idempotency key is still running.',
    action: 'Repeat the same request later to get its answer.',
  },
  precondition_failed: {
    status: 412,
    retryable: false,
    meaning: 'A condition such as `If-Match` does not hold.',
    action: 'Read the resource again, then repeat with its current `ETag`.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    meaning: 'The body, a part of it, or a file is larger than the limit.',
    action: 'Send less, or ask the operator to raise the limit.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    meaning: 'The `Content-Type` or `Content-Encoding` is not supported here.',
    action: 'Use one that `error` names.',
  },
  range_not_satisfiable: {
    status: 416,
    retryable: false,
    meaning: 'The `Range` header lies outside of the file.',
    action: 'Use the size from `Content-Range`.',
  },
  tenant_suspended: {
    status: 423,
    retryable: false,
    meaning: 'The workspace is suspended: it can be read, but nothing in it is started or changed.',
    action: 'Ask an owner of the workspace: `GET /api/v1/tenant` has the reason. Operators reopen it.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    meaning: 'Too many requests or attempts.',
    action: 'Wait for the seconds in `Retry-After`, then repeat.',
  },
  start_limited: {
    status: 429,
    retryable: false,
    meaning: 'The workflow has started as often as its `rate_limit` allows; this start is lost.',
    action: 'Start it again after the seconds in `Retry-After` if it is still needed.',
  },
  execution_failed: {
    status: 500,
    retryable: false,
    meaning: 'The execution that the request waited for failed; `execution_id` names it.',
    action: 'Read the error of the execution.',
  },
  sealed_unreadable: {
    status: 500,
    retryable: false,
    meaning: 'A stored secret cannot be decrypted: it was encrypted with another master key, or is damaged.',
    action: 'Operator: set the former master key, or store the secret again.',
  },
  internal: {
    status: 500,
    retryable: false,
    meaning: 'A defect of the service.',
    action: 'Report it with the `request_id`.',
  },
  provider_failed: {
    status: 502,
    retryable: true,
    meaning: 'An external provider failed or sent an invalid response.',
    action: 'Repeat later; if it persists, check the settings of the provider.',
  },
  provider_not_configured: {
    status: 503,
    retryable: false,
    meaning: 'The operator has not configured this provider.',
    action: 'Operator: set the variables that `error` names.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    meaning: 'The service, or a part that the request needs, is overloaded, starting or stopping.',
    action: 'Wait for the seconds in `Retry-After`, then repeat.',
  },
  timed_out: {
    status: 504,
    retryable: true,
    meaning: 'The request took too long and may still take effect; an execution continues (`execution_id`).',
    action: 'Read the state first; repeat with the same `Idempotency-Key`.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;
