import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { MessagingOutcome } from '../../channels/contract';
import { Followed } from '../deliveries/followed';
import type { Gateway } from '../gateway';
import { sendAnswer, sendText } from '../http/answer';
import { readBody } from '../http/body';
import { parseQuery, type Query, single } from '../http/query';
import { type GatewayRequest, hasSmallBody } from '../http/request';
import type { MessagingRoute } from '../routes/route';

/** An answer that sends nothing back to whoever has written. */
const NO_REPLY = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** Hands a messaging provider's request to the workflow as it came, and answers when what it starts is durable. */
export async function serveMessaging(
  gateway: Gateway,
  route: MessagingRoute,
  workflowId: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const query = parseQuery(request.search);
  const followed = new Followed(gateway, route.channel, workflowId, { ...query }, request, response);
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
  readonly followed: Followed;
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
  followed.became({ outcome: 'ignored', reason: 'The provider has verified the address' });
  return challenge;
}

async function receive(
  gateway: Gateway,
  { route: { channel }, workflowId, followed }: Called,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const { headers } = followed;
  if (!hasSmallBody(request)) await assertListener(gateway, channel, workflowId, request);
  // The very bytes: a parsed body written anew has others, and a signature covers bytes.
  const bytes = followed.body(await readBody(request, gateway.app.config.bodyLimit, gateway.bodies.share(response)));
  const raw = bytes.toString('base64');
  const delivery = { channel, workflow_id: workflowId, headers, raw, url: addressOf(gateway, request) };
  const outcome = await gateway.call('channels.message', delivery, null, request);
  followed.became(resultOf(outcome));
  if (outcome.format === 'form') sendText(response, 200, 'text/xml; charset=utf-8', NO_REPLY);
  else sendAnswer(response, { status: 200, body: { data: outcome.data, ignored: outcome.ignored } });
}

/** @throws AppError not_found unless the workflow exists and listens to the channel */
async function assertListener(
  gateway: Gateway,
  channel: MessagingRoute['channel'],
  id: string,
  request: GatewayRequest,
): Promise<void> {
  const workflow = await gateway.call('workflows.startable', { id }, null, request);
  if (workflow?.triggers.includes(channel) === true) return;
  throw new AppError('not_found', `There is no ${channel} webhook at this address`);
}

/** The address by which the provider has come, as it was told to him. */
function addressOf({ app }: Gateway, { url, client }: GatewayRequest): string {
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  return `${app.config.baseUrl ?? client.origin ?? ''}${path}`;
}

/** What became of the whole request: the best of what became of its messages. */
function resultOf({ data, ignored }: MessagingOutcome): Parameters<Followed['became']>[0] {
  const best = (['started', 'replayed', 'refused'] as const).find((each) =>
    data.some(({ outcome }) => outcome === each),
  );
  if (best === undefined)
    return { outcome: 'ignored', reason: `Nothing that somebody has written: ${ignored.join(', ')}` };
  return {
    outcome: best,
    reason: data.find(({ reason }) => reason !== null)?.reason ?? undefined,
    executionIds: data.flatMap(({ execution_id }) => execution_id ?? []),
    deliveryId: data[0]?.id ?? null,
  };
}
