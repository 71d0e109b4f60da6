import { EgressError, type EgressErrorKind } from '../egress';
import { parseRetryAfter } from '../retry-after';

/**
 * What went wrong with a provider: the request did not get there or back (as EgressErrorKind says), the key was
 * refused, there were too many requests, or too few funds, the model or the path is unknown, the request was refused,
 * the provider failed, or its answer cannot be read.
 */
export type LlmErrorCode =
  | `llm_${EgressErrorKind}`
  | 'llm_key_refused'
  | 'llm_rate_limited'
  | 'llm_quota'
  | 'llm_unknown_model'
  | 'llm_refused'
  | 'llm_unavailable'
  | 'llm_answer'
  | 'llm_unsupported';

/** The one error of the models' interface. Messages hold no key; they may quote the provider. */
export class LlmError extends Error {
  readonly retryable: boolean;
  /** How long the provider wants to be left alone, in milliseconds. */
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

const MOST_CHARS = 500;

/** An answer that is no success, as it came. */
export interface Refusal {
  readonly status: number;
  readonly retryAfter: string;
  readonly body: string;
}

/** What a provider's refusal means. Pure. `who` names the provider in the message; `hide` takes keys out of it. */
export function refusalError(refusal: Refusal, who: string, hide: (text: string) => string, now: number): LlmError {
  const { status } = refusal;
  const said = excerptOf(refusal.body, hide);
  const message = `${who} answered ${status}${said === '' ? '' : `: ${said}`}`;
  const retryable = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  // Funds do not come back by asking again, though OpenAI says it with the status of haste.
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

/** A request that did not come back. */
export const egressError = (fault: EgressError, who: string, hide: (text: string) => string): LlmError =>
  new LlmError(`llm_${fault.kind}`, hide(`${who} cannot be asked: ${fault.message}`), {
    retryable: fault.retryable,
    cause: fault,
  });

/** Takes a key out of a text, however it is written there. */
export const hiding =
  (apiKey: string | null) =>
  (text: string): string =>
    apiKey === null || apiKey.length < 3
      ? text
      : text.replaceAll(apiKey, '***').replaceAll(encodeURIComponent(apiKey), '***');

/** The EgressError that a fault comes from, however deeply a library has wrapped it. */
export function egressFault(thrown: unknown): EgressError | null {
  for (let fault = thrown, depth = 0; depth < 8 && fault instanceof Error; fault = fault.cause, depth++)
    if (fault instanceof EgressError) return fault;
  return null;
}

/** What a provider says in a body of one of the usual forms, else the body's beginning; on one line, without keys. */
function excerptOf(body: string, hide: (text: string) => string): string {
  const line = hide(messageIn(body) ?? body)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}...` : line;
}

function messageIn(body: string): string | null {
  try {
    const { error, message, detail } = JSON.parse(body) as Record<string, unknown>;
    const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).message : error;
    return [inner, message, detail].find((text) => typeof text === 'string') ?? null;
  } catch {
    // No JSON, or none of an object: the text itself is the message.
    return null;
  }
}
