import type { ErrorCode, ErrorDetail } from './api.ts';

/** What an error of the API says, in its own words. */
interface ErrorBody {
  readonly error?: unknown;
  readonly code?: unknown;
  readonly details?: unknown;
  readonly request_id?: unknown;
}

/** Why a call has failed. Programs go by `code`; `unreachable`: there was no answer at all. */
export class EverstepError extends Error {
  override readonly name = 'EverstepError';
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly code: ErrorCode | 'unreachable' | 'unknown';
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;
  /** What the server asks to wait, in milliseconds; null when it asks for nothing. */
  readonly retryAfterMs: number | null;
  /** All of the answer's body, with members such as `execution_id`. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    given: Pick<EverstepError, 'status' | 'code'> &
      Partial<Pick<EverstepError, 'details' | 'requestId' | 'retryAfterMs' | 'body'>>,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.status = given.status;
    this.code = given.code;
    this.details = given.details ?? [];
    this.requestId = given.requestId ?? null;
    this.retryAfterMs = given.retryAfterMs ?? null;
    this.body = given.body ?? {};
  }

  static unreachable(url: string, cause: unknown): EverstepError {
    return new EverstepError(`No answer from ${new URL(url).origin}`, { status: 0, code: 'unreachable' }, { cause });
  }

  static emptyStreams(url: string, count: number): EverstepError {
    const message = `${count} connections to ${url} in a row were closed without a single byte; the stream is given up`;
    return new EverstepError(message, { status: 200, code: 'unreachable' });
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The error that an answer tells; something in between, such as a proxy, may have answered instead of the API. */
export async function faultOf(response: Response): Promise<EverstepError> {
  // In a browser, a redirect that is not followed has the type `opaqueredirect` and the status 0.
  if (response.type === 'opaqueredirect' || REDIRECTS.has(response.status)) {
    await response.body?.cancel().catch(() => undefined);
    const message = 'The server answers with a redirect, which is not followed; use its target as `baseUrl`';
    return new EverstepError(message, { status: response.status, code: 'unknown' });
  }
  const text = await response.text().catch(() => '');
  const body = parsed(text);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const message = typeof body.error === 'string' ? body.error : `The server has answered ${response.status}`;
  return new EverstepError(message, {
    status: response.status,
    code: typeof body.code === 'string' ? (body.code as ErrorCode) : 'unknown',
    details: Array.isArray(body.details) ? (body.details as ErrorDetail[]) : [],
    requestId: typeof body.request_id === 'string' ? body.request_id : response.headers.get('x-request-id'),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null,
    body: body as Record<string, unknown>,
  });
}

function parsed(text: string): ErrorBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // No JSON, so nothing of ours.
    return {};
  }
}
