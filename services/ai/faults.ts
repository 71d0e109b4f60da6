import { AppError } from '../../lib/errors';
import type { LlmError } from '../../lib/llm';

/** What a caller can mend: an address that is refused, a request or a model that the provider does not take. */
const OF_THE_CALLER: ReadonlySet<string> = new Set([
  'invalid_config',
  'llm_blocked',
  'llm_protocol',
  'llm_unsupported',
  'llm_unknown_model',
  'llm_refused',
]);

/** A provider's fault as the services tell it: 400 for what the caller can mend, 504 for time, else 502. */
export function modelFault({
  code,
  message,
  retryAfterMs,
}: Pick<LlmError, 'message' | 'retryAfterMs'> & { code: string }): AppError {
  if (OF_THE_CALLER.has(code)) return new AppError('invalid_request', message);
  if (code === 'llm_aborted' || code === 'llm_timeout')
    return new AppError('timed_out', 'The model has not answered in time');
  const data = retryAfterMs === undefined ? {} : { retry_after: Math.ceil(retryAfterMs / 1_000) };
  return new AppError('provider_failed', message, data);
}
