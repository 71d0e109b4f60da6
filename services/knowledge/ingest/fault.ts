import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import { EmbeddingError } from '../embedding';
import type { Failure } from '../work/tries';

/** Why a document is not ready: a stable word, and a sentence for its owner. */
export class IngestFault extends Error implements Failure {
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: string,
    message: string,
    { retryable = false, retryAfterMs, cause }: Partial<Failure> & { cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'IngestFault';
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What stopped an ingest, in words that can be shown; what is our own fault is told without detail, and may pass. */
export function ingestFault(thrown: unknown): IngestFault {
  if (thrown instanceof IngestFault) return thrown;
  if (thrown instanceof EmbeddingError) {
    const { code, message, retryable, retryAfterMs } = thrown;
    return new IngestFault(code, `The texts could not be embedded: ${message}`, {
      retryable,
      retryAfterMs,
      cause: thrown,
    });
  }
  const code = errorCode(thrown);
  if (code === undefined || code === 'internal')
    return new IngestFault('internal', 'Something went wrong on our side', { retryable: true, cause: thrown });
  return new IngestFault(code, errorMessage(thrown), { retryable: ERRORS[code].retryable, cause: thrown });
}
