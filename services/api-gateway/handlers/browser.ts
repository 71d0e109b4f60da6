import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { BrowserCookie, BrowserVisit } from '../../../contracts/auth/sso';
import type { Gateway } from '../gateway';
import { type BodyRules, formBody } from '../http/body';
import { parseQuery, type Query } from '../http/query';
import { type GatewayRequest, userAgentOf } from '../http/request';
import type { BrowserRoute } from '../routes/route';

/** Cookies of the service; those of others on the same host are none of its concern. */
const OURS = 'everstep_';
const MAX_COOKIES = 200;
/** Of a form that an identity provider posts: an assertion with all groups of a person. */
const FORM_BODY: BodyRules = { maxBytes: 256 * 1024, compressed: false };

/** Hands what a browser has brought to the action, and sends the browser where the action says. */
export async function serveBrowser(
  gateway: Gateway,
  route: BrowserRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const posted = request.method === 'POST';
  const query = posted ? await postedFields(gateway, route, request, response) : parseQuery(request.search);
  const userAgent = userAgentOf(request);
  const visit: BrowserVisit = {
    fields: singleFields(query),
    cookies: cookiesOf(request.headers.cookie, OURS),
    ...(userAgent === undefined ? {} : { user_agent: userAgent }),
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

async function postedFields(
  gateway: Gateway,
  route: BrowserRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<Query> {
  return formBody(request, await gateway.body(route, request, response, FORM_BODY));
}

/** Rejects repeated fields: other readers may take another of the values. @throws AppError */
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

/** The cookies whose names have the prefix (RFC 6265 section 4.2); of two with one name the first, which has the longer path. */
function cookiesOf(header: string | undefined, prefix: string): Record<string, string> {
  const pairs = (header ?? '').split(';', MAX_COOKIES).flatMap((part): [string, string][] => {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    return name.startsWith(prefix) ? [[name, part.slice(equals + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs.reverse());
}
