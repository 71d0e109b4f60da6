import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { webhookBody } from '../../../lib/http-body/webhook-body';
import type { JsonObject } from '../../../lib/json';
import type { InboundRequest } from '../../channels/contract';
import type { StartResult } from '../../executor/contract';
import { Followed } from '../deliveries/followed';
import type { Gateway } from '../gateway';
import { sendAnswer, sendText } from '../http/answer';
import { readBody } from '../http/body';
import type { TakeBytes } from '../http/body-budget';
import { parseQuery, type Query, single } from '../http/query';
import { bearerOf, type GatewayRequest, hasSmallBody } from '../http/request';
import { sendUserResponse } from '../http/user-response';
import { idempotencyKeyOf } from '../once';
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
    await assertWebhook(gateway, workflowId, request);
    sendText(response, 200, 'text/plain; charset=utf-8', '');
    return;
  }
  const source = route.mode === 'run' ? 'run' : 'http';
  const followed = new Followed(gateway, source, workflowId, { ...query }, request, response);
  try {
    if (challenge === undefined) await serveStart(gateway, { route, workflowId, query, followed }, request, response);
    else {
      await assertWebhook(gateway, workflowId, request);
      followed.became({ outcome: 'ignored', reason: 'A challenge was answered' });
      sendText(response, 200, 'text/plain; charset=utf-8', challenge);
    }
  } catch (fault) {
    followed.failed(fault, request.requestId);
    throw fault;
  }
}

/** A request that is to start a run. */
interface Wanted {
  readonly route: WebhookRoute;
  readonly workflowId: string;
  readonly query: Query;
  readonly followed: Followed;
}

async function serveStart(
  gateway: Gateway,
  wanted: Wanted,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const result = await start(gateway, wanted, request, gateway.bodies.share(response));
  const { route, query, followed } = wanted;
  followed.became({ outcome: result.replayed ? 'replayed' : 'started', executionIds: [result.execution.id] });
  if (result.replayed) response.setHeader('Idempotent-Replayed', 'true');
  if (waits(route, query)) {
    sendResult(response, result);
  } else {
    const { id, status } = result.execution;
    sendAnswer(response, { status: 202, body: { execution_id: id, status } });
  }
}

const waits = (route: WebhookRoute, query: Query): boolean =>
  route.mode === 'sync' || (route.mode === 'run' && ['1', 'true'].includes(single(query, 'wait') ?? ''));

async function start(
  gateway: Gateway,
  { route, workflowId, query, followed }: Wanted,
  request: GatewayRequest,
  take: TakeBytes,
): Promise<StartResult> {
  const key = route.mode === 'run' ? bearerOf(request) : '';
  if (key === null) {
    throw new AppError('unauthenticated', 'A workflow key is needed: send Authorization: Bearer <workflow key>');
  }
  // A large body is not read for nobody: reading it costs more than looking first.
  if (!hasSmallBody(request)) await assertAddress(gateway, route, workflowId, request);
  // The channels service takes the key from the headers; a malformed one is refused before anything starts.
  idempotencyKeyOf(request);
  const bytes = followed.body(await readBody(request, gateway.app.config.webhookLimit, take));
  const inbound: InboundRequest & { wait: boolean } = {
    workflow_id: workflowId,
    method: request.method,
    headers: followed.headers,
    query: { ...query },
    body: webhookBody(request.headers['content-type'], bytes),
    request_id: request.requestId,
    wait: waits(route, query),
  };
  return route.mode === 'run'
    ? gateway.call('channels.run', { ...inbound, key }, null, request)
    : startWebhook(gateway, inbound, bytes, request);
}

/** Bytes are carried only to workflows that want them, which is known from their last request. */
async function startWebhook(
  gateway: Gateway,
  inbound: InboundRequest & { wait: boolean },
  bytes: Buffer,
  request: GatewayRequest,
): Promise<StartResult> {
  const { rawWanted } = gateway;
  const raw = (): string => bytes.toString('base64');
  const first = rawWanted.has(inbound.workflow_id) ? { ...inbound, raw: raw() } : inbound;
  const answer = await gateway.call('channels.webhook', first, null, request);
  if (!('raw_wanted' in answer)) return answer;
  rawWanted.add(inbound.workflow_id);
  const again = await gateway.call('channels.webhook', { ...inbound, raw: raw() }, null, request);
  if ('raw_wanted' in again) throw new Error('The bytes of a body were given, and are wanted all the same');
  return again;
}

/** @throws AppError not_found unless there is somebody at the address */
async function assertAddress(
  gateway: Gateway,
  route: WebhookRoute,
  id: string,
  request: GatewayRequest,
): Promise<void> {
  if (route.mode !== 'run') return assertWebhook(gateway, id, request);
  const workflow = await gateway.call('workflows.startable', { id }, null, request);
  if (workflow === null) throw new AppError('not_found', `There is no workflow ${id}`);
}

function challengeOf(query: Query): string | undefined {
  return CHALLENGES.map((name) => single(query, name)).find((value) => value !== undefined);
}

/** @throws AppError not_found unless the workflow exists and listens to webhooks */
async function assertWebhook(gateway: Gateway, id: string, request: GatewayRequest): Promise<void> {
  const workflow = await gateway.call('workflows.startable', { id }, null, request);
  if (workflow?.triggers.includes('http') === true) return;
  throw new AppError('not_found', 'There is no webhook at this address');
}

/** What the caller of a run who waited for its end gets. @throws AppError for a run that did not complete */
function sendResult(response: ServerResponse, { execution, response: wanted }: StartResult): void {
  if (wanted !== null) {
    sendUserResponse(response, wanted);
    return;
  }
  const body: JsonObject = { execution_id: execution.id, status: execution.status };
  switch (execution.status) {
    case 'completed':
      sendAnswer(response, { status: 200, body: execution.output });
      return;
    case 'failed':
      throw new AppError('execution_failed', execution.error?.message ?? 'The run failed', { body });
    case 'cancelled':
      throw new AppError('execution_failed', 'The run was cancelled', { body });
    case 'running':
      throw new AppError('timed_out', 'The run goes on; ask for its state later', { body });
  }
}
