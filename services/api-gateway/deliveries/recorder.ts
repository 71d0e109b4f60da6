import type { ServerResponse } from 'node:http';
import { sha256 } from '../../../lib/crypto';
import type { ErrorCode } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import type { DeliveryOutcome, DeliverySource, SeenDelivery } from '../../../contracts/channels/views';
import type { Gateway } from '../gateway';
import { errorAnswer } from '../http/error-answer';
import { type GatewayRequest, headersOf } from '../http/request';

/** Bytes of a body that are stored. */
const MAX_RAW_BYTES = 256 * 1024;

interface Result {
  readonly outcome: DeliveryOutcome;
  readonly code?: ErrorCode;
  readonly reason?: string;
  readonly executionIds?: readonly string[];
  readonly deliveryId?: string | null;
}

/** Records a webhook request once its response has ended and its outcome is known. */
export class DeliveryRecorder {
  /** Headers by lower-case names. */
  readonly headers: Record<string, string>;
  readonly #received: number;
  #bytes: Buffer | null = null;
  #result: Result | null = null;
  #isClosed = false;

  /** Starts a record now. `query`: as it was sent. @throws AppError invalid_request for headers that cannot be read */
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
      this.#isClosed = true;
      this.#record();
    });
  }

  /** Adds the body. */
  body(bytes: Buffer): Buffer {
    this.#bytes = bytes;
    return bytes;
  }

  setOutcome(result: Result): void {
    this.#result = result;
    this.#record();
  }

  /** Records a failure unless an outcome is set. Unknown workflows are not recorded. */
  failed(fault: unknown, requestId: string): void {
    if (this.#result !== null) return;
    const { code, body } = errorAnswer(fault, requestId);
    if (code === 'not_found') return;
    const reason = (body as { error: string }).error;
    this.setOutcome({ outcome: 'refused', code, reason });
  }

  /** Called when the response ends and when the outcome is set: a client may disconnect before the outcome is known. */
  #record(): void {
    const result = this.#result;
    // An invalid workflow id belongs to no tenant and is not queued.
    if (!this.#isClosed || result === null || !isUuid(this.workflowId)) return;
    const { request, workflowId } = this;
    this.gateway.app.metrics.deliveries.add(1, this.source, result.outcome);
    const minor = result.outcome === 'refused' || (result.outcome === 'ignored' && request.method === 'GET');
    this.gateway.deliveries.note({ workflowId, minor, write: () => this.#written(result, minor) });
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
      raw: bytes?.subarray(0, MAX_RAW_BYTES).toString('base64') ?? '',
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

/** The declared size of a body that was not read. */
function announced({ headers }: GatewayRequest): number {
  const length = Number(headers['content-length'] ?? 0);
  return Number.isSafeInteger(length) && length > 0 ? length : 0;
}
