import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import { EmbeddingError } from '../embedding';
import type { Failure } from '../work/retry-policy';

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

/** Converts a failure of an ingest to one that can be shown; an internal one is shown without detail, and is retryable. */
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
    return new IngestFault('internal', 'Internal error; the ingest is retried', { retryable: true, cause: thrown });
  return new IngestFault(code, errorMessage(thrown), { retryable: ERRORS[code].retryable, cause: thrown });
}
