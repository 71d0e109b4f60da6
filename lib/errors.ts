import { type ErrorCode, ERRORS } from './error-codes';

export { type ErrorCode, ERRORS };

/** One of several faults: its path (such as `steps[2].config.url`), what is wrong, and what to do. */
export interface ErrorDetail {
  path: string;
  message: string;
  hint?: string;
}

/** Summarizes faults for a message: `steps[0].id: is missing (and 2 more)`. */
export function summaryOf(faults: readonly ErrorDetail[]): string {
  const [first] = faults;
  if (first === undefined) return 'no details';
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  return `${placed(first)}${more}`;
}

const placed = ({ path, message }: ErrorDetail): string => (path === '' ? message : `${path}: ${message}`);

/** Optional data of an error for the client. */
export interface ErrorData {
  details?: ErrorDetail[];
  /** Seconds for the `Retry-After` header. */
  retry_after?: number;
  /** Further members of the response body. */
  body?: Record<string, unknown>;
}

/**
 * The error class of all services, with the fields that Moleculer transfers between nodes: `type` is the code, `code`
 * the HTTP status. Only fields survive the transfer, so callers compare `err.type` instead of using `instanceof`.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly code: number;
  readonly type: ErrorCode;
  readonly data: ErrorData;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, data: ErrorData = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = ERRORS[code].status;
    this.type = code;
    this.data = data;
    this.retryable = ERRORS[code].retryable;
  }
}

/** The code of a thrown AppError, also after crossing nodes; undefined for other values. */
export function errorCode(thrown: unknown): ErrorCode | undefined {
  const type = typeof thrown === 'object' && thrown !== null && 'type' in thrown ? thrown.type : undefined;
  return typeof type === 'string' && Object.hasOwn(ERRORS, type) ? (type as ErrorCode) : undefined;
}

/** The message of a thrown value. */
/** True for an error about the caller or its request: nothing was done. False for faults of the service, which may be over soon. */
export function isRefused(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code !== undefined && ERRORS[code].status < 500;
}

export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
