import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { MessagingOutcome } from '../../../contracts/channels/views';
import { DeliveryRecorder } from '../deliveries/recorder';
import type { Gateway } from '../gateway';
import { sendAnswer, sendText } from '../http/answer';
import { parseQuery, type Query, single } from '../http/query';
import { type GatewayRequest, hasSmallBody } from '../http/request';
import type { MessagingRoute } from '../routes/route';

/** A response that sends no message back. */
const NO_REPLY = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** Passes a messaging provider's request to the workflow. Responds when the started runs are durable. */
export async function serveMessaging(
  gateway: Gateway,
  route: MessagingRoute,
  workflowId: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const query = parseQuery(request.search);
  const followed = new DeliveryRecorder(gateway, route.channel, workflowId, { ...query }, request, response);
  try {
    if (request.method === 'POST') await receive(gateway, { route, workflowId, followed }, request, response);
    else {
      const challenge = await verified(gateway, { route, workflowId, followed }, query, request);
      sendText(response, 200, 'text/plain; charset=utf-8', challenge);
    }
  } catch (fault) {
    followed.failed(fault, request.requestId);
    throw fault;
  }
}

/** A request for a channel of a workflow. */
interface Called {
  readonly route: MessagingRoute;
  readonly workflowId: string;
  readonly followed: DeliveryRecorder;
}

async function verified(
  gateway: Gateway,
  { route: { channel }, workflowId, followed }: Called,
  query: Query,
  request: GatewayRequest,
): Promise<string> {
  const word = (name: string): string => single(query, `hub.${name}`) ?? '';
  const asked = { mode: word('mode'), token: word('verify_token'), challenge: word('challenge') };
  const params = { channel, workflow_id: workflowId, ...asked };
  const { challenge } = await gateway.call('channels.verify_messaging', params, null, request);
  followed.setOutcome({ outcome: 'ignored', reason: 'The provider has verified the address' });
  return challenge;
}

async function receive(
  gateway: Gateway,
  { route, workflowId, followed }: Called,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const { headers } = followed;
  const { channel } = route;
  if (!hasSmallBody(request)) await assertListener(gateway, channel, workflowId, request);
  // The signature covers the bytes of the body, so it is neither decompressed nor parsed here.
  const rules = { maxBytes: gateway.app.config.bodyLimit, compressed: false };
  const bytes = followed.body(await gateway.body(route, request, response, rules));
  const raw = bytes.toString('base64');
  const delivery = { channel, workflow_id: workflowId, headers, raw, url: addressOf(gateway, request) };
  const outcome = await gateway.call('channels.message', delivery, null, request);
  followed.setOutcome(resultOf(outcome));
  if (outcome.format === 'form') sendText(response, 200, 'text/xml; charset=utf-8', NO_REPLY);
  else await sendAnswer(response, { status: 200, body: { data: outcome.data, ignored: outcome.ignored } });
}

/** @throws AppError not_found unless the workflow exists and has a trigger for the channel */
async function assertListener(
  gateway: Gateway,
  channel: MessagingRoute['channel'],
  id: string,
  request: GatewayRequest,
): Promise<void> {
  const workflow = await gateway.webhooks.starts.find(gateway.caller(request), id);
  if (workflow?.triggers.includes(channel) === true) return;
  throw new AppError('not_found', `There is no ${channel} webhook at this address`);
}

/** The webhook address as configured at the provider. */
function addressOf({ app }: Gateway, { url, client }: GatewayRequest): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  return `${app.config.baseUrl ?? client.origin ?? ''}${path}`;
}

/** The outcome of the request: the best outcome of its messages. */
function resultOf({ data, ignored }: MessagingOutcome): Parameters<DeliveryRecorder['setOutcome']>[0] {
  const best = (['started', 'replayed', 'refused'] as const).find((each) =>
    data.some(({ outcome }) => outcome === each),
  );
  if (best === undefined) return { outcome: 'ignored', reason: `No user message: ${ignored.join(', ')}` };
  return {
    outcome: best,
    reason: data.find(({ reason }) => reason !== null)?.reason ?? undefined,
    executionIds: data.flatMap(({ execution_id }) => execution_id ?? []),
    deliveryId: data[0]?.id ?? null,
  };
}
