import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import { EmbeddingError } from '../embedding';
import type { Failure } from '../../../mixins/leased-work/retry-policy';

/** Why an ingest failed: a stable code, and a message for the tenant. */
export class IngestError extends Error implements Failure {
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: string,
    message: string,
    { retryable = false, retryAfterMs, cause }: Partial<Failure> & { cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'IngestError';
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Converts any error of an ingest. An internal error becomes retryable and loses its details. */
export function toIngestError(thrown: unknown): IngestError {
  if (thrown instanceof IngestError) return thrown;
  if (thrown instanceof EmbeddingError) {
    const { code, message, retryable, retryAfterMs } = thrown;
    return new IngestError(code, `The texts could not be embedded: ${message}`, {
      retryable,
      retryAfterMs,
      cause: thrown,
    });
  }
  const code = errorCode(thrown);
  if (code === undefined || code === 'internal')
    return new IngestError('internal', 'Internal error; the ingest is retried', { retryable: true, cause: thrown });
  return new IngestError(code, errorMessage(thrown), { retryable: ERRORS[code].retryable, cause: thrown });
}
