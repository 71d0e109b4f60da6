import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { BrowserCookie, BrowserVisit } from '../../auth/contract';
import type { Gateway } from '../gateway';
import { formBody, readBody } from '../http/body';
import { cookiesOf } from '../http/cookies';
import { parseQuery, type Query } from '../http/query';
import type { GatewayRequest } from '../http/request';
import type { BrowserRoute } from '../routes/route';

/** Cookies of the service; those of others on the same host are none of its concern. */
const OURS = 'everstep_';

/** Hands what a browser has brought to the action, and sends the browser where the action says. */
export async function serveBrowser(
  gateway: Gateway,
  route: BrowserRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const posted = request.method === 'POST';
  const query = posted ? await postedFields(gateway, request, response) : parseQuery(request.search);
  const visit: BrowserVisit = {
    fields: singleFields(query),
    cookies: cookiesOf(request.headers.cookie, OURS),
    ...(request.client.origin === null ? {} : { origin: request.client.origin }),
  };
  const { location, cookies } = await gateway.call(route.action, visit, null, request);
  response
    .writeHead(posted ? 303 : 302, {
      Location: location,
      'Content-Length': '0',
      // The address that led here holds a code or an answer.
      'Referrer-Policy': 'no-referrer',
      ...(cookies.length === 0 ? {} : { 'Set-Cookie': cookies.map(cookieText) }),
    })
    .end();
}

async function postedFields(gateway: Gateway, request: GatewayRequest, response: ServerResponse): Promise<Query> {
  return formBody(request, await readBody(request, gateway.app.config.bodyLimit, gateway.bodies.share(response)));
}

/** A field given twice means one thing here and another one to whoever looks at the first. @throws AppError */
function singleFields(query: Query): Record<string, string> {
  const fields: [string, string][] = Object.entries(query).map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    throw new AppError('invalid_request', `The field "${name.slice(0, 40)}" is given more than once`);
  });
  return Object.fromEntries(fields);
}

/** Sent back on top-level navigation alone (Lax), and never shown to a script. */
const cookieText = ({ name, value, path, max_age, secure }: BrowserCookie): string =>
  `${name}=${value}; Path=${path}; Max-Age=${max_age}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
