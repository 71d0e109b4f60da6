import { EgressError, type EgressErrorKind } from '../egress';
import { parseRetryAfter } from '../retry-after';

/**
 * Why a request to a provider failed: network errors (as EgressErrorKind), a rejected key, too many requests,
 * insufficient funds, an unknown model or path, a rejected request, a fault of the provider, or an unreadable response.
 */
type LlmErrorCode =
  | `llm_${EgressErrorKind}`
  | 'llm_key_refused'
  | 'llm_rate_limited'
  | 'llm_quota'
  | 'llm_unknown_model'
  | 'llm_refused'
  | 'llm_unavailable'
  | 'llm_answer'
  | 'llm_unsupported';

/** The error of the model interface. Messages hold no key; they may quote the provider. */
export class LlmError extends Error {
  readonly retryable: boolean;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: LlmErrorCode,
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'LlmError';
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const MAX_MESSAGE_CHARACTERS = 500;

/** An error response. */
interface Refusal {
  readonly status: number;
  readonly retryAfter: string;
  readonly body: string;
}

/** Converts a provider's error response. Pure. `who` names the provider; `hide` removes keys from the message. */
export function refusalError(refusal: Refusal, who: string, hide: (text: string) => string, now: number): LlmError {
  const { status } = refusal;
  const excerpt = excerptOf(refusal.body, hide);
  const message = `${who} answered ${status}${excerpt === '' ? '' : `: ${excerpt}`}`;
  const retryable = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  // Insufficient funds are not retried, though OpenAI reports them as 429.
  if (status === 429 && /insufficient_quota/.test(refusal.body)) return new LlmError('llm_quota', message);
  const retryAfterMs = retryable ? (parseRetryAfter(refusal.retryAfter, now) ?? undefined) : undefined;
  return new LlmError(codeOf(status), message, { retryable, retryAfterMs });
}

function codeOf(status: number): LlmErrorCode {
  if (status === 401 || status === 403) return 'llm_key_refused';
  if (status === 402) return 'llm_quota';
  if (status === 404) return 'llm_unknown_model';
  if (status === 429) return 'llm_rate_limited';
  return status >= 500 || status === 408 ? 'llm_unavailable' : 'llm_refused';
}

/** A request without a response. */
export const egressError = (fault: EgressError, who: string, hide: (text: string) => string): LlmError =>
  new LlmError(`llm_${fault.kind}`, hide(`${who} cannot be reached: ${fault.message}`), {
    retryable: fault.retryable,
    cause: fault,
  });

/** Removes a key from a text, in any encoding. */
export const hiding =
  (apiKey: string | null) =>
  (text: string): string =>
    apiKey === null || apiKey.length < 3
      ? text
      : text.replaceAll(apiKey, '***').replaceAll(encodeURIComponent(apiKey), '***');

/** The EgressError that caused a fault, however deeply a library has wrapped it. */
export function egressFault(thrown: unknown): EgressError | null {
  for (let fault = thrown, depth = 0; depth < 8 && fault instanceof Error; fault = fault.cause, depth++)
    if (fault instanceof EgressError) return fault;
  return null;
}

/** The message in a provider's error body, else the body's beginning; on one line, without keys. */
function excerptOf(body: string, hide: (text: string) => string): string {
  const line = hide(messageIn(body) ?? body)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > MAX_MESSAGE_CHARACTERS ? `${line.slice(0, MAX_MESSAGE_CHARACTERS)}...` : line;
}

function messageIn(body: string): string | null {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : error;
    return [inner, message, detail].find((text) => typeof text === 'string') ?? null;
  } catch {
    // Not a JSON object: the text itself is the message.
    return null;
  }
}
