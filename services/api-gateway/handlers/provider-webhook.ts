import type { ServerResponse } from 'node:http';
import type { ProviderDelivery } from '../../../contracts/channels/views';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
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
  const rules = { maxBytes: gateway.app.config.bodyLimit, compressed: false };
  const raw = await gateway.body(route, request, response, rules);
  const delivery: ProviderDelivery = { headers: headersOf(request), raw: raw.toString('base64') };
  await sendAnswer(response, {
    status: 200,
    body: await gateway.call(route.action, delivery, null, request),
  });
}
