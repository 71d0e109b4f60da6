import type { LlmError } from '../../../lib/llm';

/** Errors of the provider, and errors in the embedding configuration of a base. */
type EmbeddingErrorCode =
  | LlmError['code']
  | 'dimension_mismatch'
  | 'unknown_secret'
  | 'invalid_embedding'
  | 'unavailable';

/** Embedding failed. Messages contain no API key. */
export class EmbeddingError extends Error {
  readonly retryable: boolean;
  /** The provider's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: EmbeddingErrorCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'EmbeddingError';
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
