import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { webhookContent } from '../../../lib/http-body/webhook-body';
import type { JsonObject } from '../../../lib/json';
import { publicError } from '../../../lib/public-error';
import type { StartResult } from '../../../contracts/executions/views';
import { DeliveryRecorder } from '../deliveries/recorder';
import type { Gateway } from '../gateway';
import { sendAnswer, sendText } from '../http/answer';
import { assertAllowed } from '../http/body';
import { parseQuery, type Query, single } from '../http/query';
import { bearerOf, type GatewayRequest, hasSmallBody } from '../http/request';
import { sendUserResponse } from '../http/user-response';
import { idempotencyKeyOf } from '../idempotency';
import type { WebhookRoute } from '../routes/route';

/** Names by which providers send a text that proves the address's owner agrees. */
const CHALLENGES = ['challenge', 'hub.challenge', 'validationToken'] as const;

/** Hands a request to the workflow whole: 202 when its run is durable, or the run's result where the caller waits. */
export async function serveWebhook(
  gateway: Gateway,
  route: WebhookRoute,
  workflowId: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const query = parseQuery(request.search);
  const challenge = request.method === 'POST' ? undefined : challengeOf(query);
  // HEAD is what link checkers send; it tells whether there is a webhook, and starts nothing.
  if (request.method === 'HEAD') {
    await gateway.webhooks.webhookAt(gateway.caller(request), workflowId);
    sendText(response, 200, 'text/plain; charset=utf-8', '');
    return;
  }
  const source = route.mode === 'run' ? 'run' : 'http';
  const followed = new DeliveryRecorder(gateway, source, workflowId, { ...query }, request, response);
  try {
    if (challenge === undefined) await serveStart(gateway, { route, workflowId, query, followed }, request, response);
    else {
      await gateway.webhooks.webhookAt(gateway.caller(request), workflowId);
      followed.setOutcome({ outcome: 'ignored', reason: 'A challenge was answered' });
      sendText(response, 200, 'text/plain; charset=utf-8', challenge);
    }
  } catch (fault) {
    followed.failed(fault, request.requestId);
    throw fault;
  }
}

/** A request that is to start a run. */
interface StartRequest {
  readonly route: WebhookRoute;
  readonly workflowId: string;
  readonly query: Query;
  readonly followed: DeliveryRecorder;
}

async function serveStart(
  gateway: Gateway,
  wanted: StartRequest,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const result = await start(gateway, wanted, request, response);
  const { route, query, followed } = wanted;
  followed.setOutcome({ outcome: result.replayed ? 'replayed' : 'started', executionIds: [result.id] });
  if (result.replayed) response.setHeader('Idempotent-Replayed', 'true');
  if (waits(route, query)) {
    await sendResult(response, result);
  } else {
    const { id, status } = result;
    await sendAnswer(response, { status: 202, body: { execution_id: id, status } });
  }
}

const waits = (route: WebhookRoute, query: Query): boolean =>
  route.mode === 'sync' || (route.mode === 'run' && ['1', 'true'].includes(single(query, 'wait') ?? ''));

async function start(
  gateway: Gateway,
  { route, workflowId, query, followed }: StartRequest,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<StartResult> {
  const key = route.mode === 'run' ? bearerOf(request) : null;
  if (route.mode === 'run' && key === null) {
    throw new AppError('unauthenticated', 'A workflow key is needed: send Authorization: Bearer <workflow key>');
  }
  const rules = { maxBytes: gateway.app.config.webhookLimit, compressed: true };
  assertAllowed(request, rules);
  const { requestId } = request;
  const caller = { call: gateway.caller(request), requestId, workflowId, key, waits: waits(route, query) };
  // A large body of a caller without the key is not read: reading costs more than checking first.
  if (!hasSmallBody(request)) await gateway.webhooks.authenticated(caller, request.headers);
  // The start takes the key from the headers; a malformed one is refused before anything starts.
  idempotencyKeyOf(request);
  const raw = followed.body(await gateway.body(route, request, response, rules));
  const content = await webhookContent(request.headers['content-type'], raw);
  const { method } = request;
  return gateway.webhooks.start(caller, { method, headers: followed.headers, query: { ...query }, ...content, raw });
}

function challengeOf(query: Query): string | undefined {
  return CHALLENGES.map((name) => single(query, name)).find((value) => value !== undefined);
}

/** What the caller of a run who waited for its end gets. @throws AppError for a run that did not complete */
async function sendResult(
  response: ServerResponse,
  { id, status, output, error, response: wanted }: StartResult,
): Promise<void> {
  if (wanted !== null) return sendUserResponse(response, wanted);
  const body: JsonObject = { execution_id: id, status };
  switch (status) {
    case 'completed':
      return sendAnswer(response, { status: 200, body: output });
    case 'failed':
      throw new AppError('execution_failed', publicError(error ?? { code: '' }).message, { body });
    case 'cancelled':
      throw new AppError('execution_failed', 'The run was cancelled', { body });
    case 'running':
      throw new AppError('timed_out', 'The run goes on; ask for its state later', { body });
  }
}
