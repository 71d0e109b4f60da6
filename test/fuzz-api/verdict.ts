import { ERRORS } from '../../lib/errors';
import { misfit, type Operation } from './description';

/** An answer. `text` is null for one that was not read to its end, such as a stream. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string | null;
}

/** Codes of 5xx that are no fault of the service: failed runs, and providers that are unavailable. */
const NOT_OURS = new Set(['execution_failed', 'timed_out', 'provider_failed', 'provider_not_configured']);

/** How an answer contradicts the OpenAPI document, or is wrong in any case; null for a correct answer. */
export function wrongOf(operation: Operation, { status, headers, text }: Answered): string | null {
  const response = operation.responses.get(status);
  // A step `webhook_response` chooses the status of its caller's answer.
  if (response === undefined) return `the status ${status} is not documented`;
  if (headers.get('x-request-id') === null) return 'there is no X-Request-ID';
  if (text === null || text === '') return null;
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const content = response.content?.[type] ?? response.content?.['*/*'];
  if (content === undefined) return `the content type "${type}" is not documented for ${status}`;
  if (type !== 'application/json' || content.schema === undefined) return null;
  const body = JSON.parse(text) as Record<string, unknown>;
  const fault = misfit(operation, status, type, body);
  if (fault !== null) return `the body is not as documented: ${fault}`;
  if (status < 400) return null;
  const code = String(body.code);
  if (!Object.hasOwn(ERRORS, code)) return `the code ${code} is unknown`;
  return status >= 500 && !NOT_OURS.has(code) ? `a fault of ours: ${code}` : null;
}
