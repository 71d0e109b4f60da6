import type { LlmError } from '../../../lib/llm';

/** Faults of the provider, and what is wrong with a base's own words about its model. */
type EmbeddingErrorCode =
  | LlmError['code']
  | 'dimension_mismatch'
  | 'unknown_secret'
  | 'invalid_embedding'
  | 'unavailable';

/** Why texts have no vectors. Messages hold no key. */
export class EmbeddingError extends Error {
  readonly retryable: boolean;
  /** How long the provider wants to be left alone, in milliseconds. */
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
