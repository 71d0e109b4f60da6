import type { ServerResponse } from 'node:http';
import type { Gateway } from '../gateway';
import { sendText } from '../http/answer';
import { parseQuery, single } from '../http/query';
import type { GatewayRequest } from '../http/request';
import type { XmlRoute } from '../routes/route';

/** Answers with a document for machines of others, in their type. */
export async function serveXml(
  gateway: Gateway,
  route: XmlRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const tenant_slug = single(parseQuery(request.search), 'tenant_slug') as string;
  const origin = request.client.origin ?? undefined;
  const { xml } = await gateway.call(route.action, { tenant_slug, origin }, null, request);
  sendText(response, 200, route.contentType, xml);
}
