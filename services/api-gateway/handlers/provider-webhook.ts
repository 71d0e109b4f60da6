import type { ServerResponse } from 'node:http';
import type { ProviderDelivery } from '../../channels/contract';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
import { readBody } from '../http/body';
import { type GatewayRequest, headersOf } from '../http/request';
import type { ProviderWebhookRoute } from '../routes/route';

/** Hands a provider's event to the action as it came, and answers 200 with the result: the event is kept by then. */
export async function serveProviderWebhook(
  gateway: Gateway,
  route: ProviderWebhookRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  // A parsed body written anew has other bytes, and a signature covers bytes.
  const raw = await readBody(request, gateway.app.config.bodyLimit, gateway.bodies.share(response));
  const delivery: ProviderDelivery = { headers: headersOf(request), raw: raw.toString('base64') };
  sendAnswer(response, {
    status: 200,
    body: await gateway.call(route.action, delivery, null, request),
  });
}
