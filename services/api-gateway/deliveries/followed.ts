import type { ServerResponse } from 'node:http';
import { sha256 } from '../../../lib/crypto';
import type { ErrorCode } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
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

/** A request for a workflow on its way; it is noted when its answer is over, and it is known what became of it. */
export class Followed {
  /** By lower-case names. */
  readonly headers: Record<string, string>;
  readonly #received: number;
  #bytes: Buffer | null = null;
  #result: Result | null = null;
  #over = false;

  /** From now on. `query`: as it was sent. @throws AppError invalid_request for headers that cannot be read */
  constructor(
    private readonly gateway: Gateway,
    private readonly source: DeliverySource,
    private readonly workflowId: string,
    private readonly query: JsonObject,
    private readonly request: GatewayRequest,
    private readonly response: ServerResponse,
  ) {
    this.headers = headersOf(request);
    this.#received = gateway.app.clock.now();
    response.once('close', () => {
      this.#over = true;
      this.#note();
    });
  }

  /** The body, once it is there. */
  body(bytes: Buffer): Buffer {
    this.#bytes = bytes;
    return bytes;
  }

  became(result: Result): void {
    this.#result = result;
    this.#note();
  }

  /** It failed; what it had come to before that stays. Of what is not there nothing is noted. */
  failed(fault: unknown, requestId: string): void {
    if (this.#result !== null) return;
    const { code, body } = errorAnswer(fault, requestId);
    if (code === 'not_found') return;
    const reason = (body as { error: string }).error;
    this.became({ outcome: 'refused', code, reason });
  }

  /** Whichever comes last: a sender may leave before it is known what becomes of his request. */
  #note(): void {
    const result = this.#result;
    // What is no id of a workflow is nobody's, and must take up no room.
    if (!this.#over || result === null || !isUuid(this.workflowId)) return;
    const { request, workflowId } = this;
    this.gateway.app.metrics.deliveries.add(1, this.source, result.outcome);
    const minor = result.outcome === 'refused' || (result.outcome === 'ignored' && request.method === 'GET');
    this.gateway.notebook.note({ workflowId, minor, write: () => this.#written(result, minor) });
  }

  #written(result: Result, minor: boolean): SeenDelivery {
    const { request, response, workflowId, source, headers, query } = this;
    const bytes = this.#bytes;
    return {
      workflow_id: workflowId,
      source,
      received_at: new Date(this.#received).toISOString(),
      method: request.method,
      status: response.headersSent ? response.statusCode : null,
      headers,
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
    };
  }
}

/** How large a body is that was not read. */
function announced({ headers }: GatewayRequest): number {
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}
