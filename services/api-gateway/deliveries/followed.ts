import type { ServerResponse } from 'node:http';
import { sha256 } from '../../../lib/crypto';
import type { ErrorCode } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import type { DeliveryOutcome, DeliverySource, SeenDelivery } from '../../channels/contract';
import type { Gateway } from '../gateway';
import { errorAnswer } from '../http/error-answer';
import { type GatewayRequest, headersOf } from '../http/request';

/** So much of a body is kept. */
const MOST_KEPT = 256 * 1024;

interface Result {
  readonly outcome: DeliveryOutcome;
  readonly code?: ErrorCode;
  readonly reason?: string;
  readonly executionIds?: readonly string[];
  readonly deliveryId?: string | null;
}

/** A request for a workflow on its way; what became of it is noted when its answer is over. */
export class Followed {
  /** By lower-case names. */
  readonly headers: Record<string, string>;
  #bytes: Buffer | null = null;
  #result: Result | null = null;

  /** From now on. `query`: as it was sent. @throws AppError invalid_request for headers that cannot be read */
  constructor(
    gateway: Gateway,
    source: DeliverySource,
    workflowId: string,
    query: JsonObject,
    request: GatewayRequest,
    response: ServerResponse,
  ) {
    this.headers = headersOf(request);
    const received = gateway.app.clock.now();
    response.once('close', () => {
      const result = this.#result;
      const bytes = this.#bytes;
      // Without a result it is nobody's: there is no such webhook.
      if (result === null) return;
      const minor = result.outcome === 'refused' || (result.outcome === 'ignored' && request.method === 'GET');
      gateway.notebook.note({
        workflowId,
        minor,
        write: (): SeenDelivery => ({
          workflow_id: workflowId,
          source,
          received_at: new Date(received).toISOString(),
          method: request.method,
          status: response.headersSent ? response.statusCode : null,
          headers: this.headers,
          query,
          raw: bytes?.subarray(0, MOST_KEPT).toString('base64') ?? '',
          size: bytes?.length ?? announced(request),
          sha256: bytes === null || bytes.length === 0 ? null : sha256(bytes),
          outcome: result.outcome,
          code: result.code ?? null,
          reason: result.reason ?? null,
          execution_ids: [...(result.executionIds ?? [])],
          delivery_id: result.deliveryId ?? null,
          minor,
        }),
      });
    });
  }

  /** The body, once it is there. */
  body(bytes: Buffer): Buffer {
    this.#bytes = bytes;
    return bytes;
  }

  became(result: Result): void {
    this.#result = result;
  }

  /** It failed; what it had come to before that stays. Of what is not there nothing is noted. */
  failed(fault: unknown, requestId: string): void {
    if (this.#result !== null) return;
    const { code, body } = errorAnswer(fault, requestId);
    if (code === 'not_found') return;
    const reason = (body as { error: string }).error;
    this.#result = { outcome: 'refused', code, reason };
  }
}

/** How large a body is that was not read. */
function announced({ headers }: GatewayRequest): number {
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}
