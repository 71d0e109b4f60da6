import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { BuiltEntry } from '../console/files';
import type { ConsoleSite } from '../console/site';
import type { Gateway } from '../gateway';
import { sendText } from '../http/answer';
import { errorAnswer } from '../http/error-answer';
import type { GatewayRequest } from '../http/request';
import { chatHeaders, chatPage, frameAncestors } from '../public-page/chat';
import { closedPage } from '../public-page/form';
import { NO_BRANDING } from '../public-page/layout';
import { sendPublicPage } from '../public-page/send';
import type { VisitorRoute } from '../routes/route';

/** Entries of the console's build, by their sources. Neither imports the other, or the console. */
const CHAT_SOURCE = 'src/visitors/chat.ts';
const WIDGET_SOURCE = 'src/visitors/widget.ts';

/** The address stays the same over versions: browsers ask again after five minutes, and show the former version meanwhile. */
const WIDGET_HEADERS = {
  'Cache-Control': 'public, max-age=300, stale-while-revalidate=86400',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** The address of a logo changes with the image. */
const LOGO_HEADERS = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const;

/** Serves the pages and files of visitors: the page of a chat, the widget, logos. */
export async function serveVisitor(
  gateway: Gateway,
  site: ConsoleSite,
  route: VisitorRoute,
  params: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  switch (route.of) {
    case 'chat':
      return servePage(gateway, site, params.slug as string, request, response);
    case 'chat file': {
      const path = `assets/${params.name}`;
      if (!entryOf(site, CHAT_SOURCE).files.has(path)) throw new AppError('not_found', 'This version has no such file');
      return site.sendFile(path, {}, request, response);
    }
    case 'widget':
      return site.sendFile(entryOf(site, WIDGET_SOURCE).file, WIDGET_HEADERS, request, response);
    case 'logo':
      return serveLogo(gateway, params.id as string, request, response);
  }
}

/** @throws AppError unavailable while there is no build */
function entryOf(site: ConsoleSite, source: string): BuiltEntry {
  const entry = site.entry(source);
  if (entry !== null) return entry;
  throw new AppError('unavailable', 'The pages of this server are being built; try again in some seconds', {
    retry_after: 2,
  });
}

async function servePage(
  gateway: Gateway,
  site: ConsoleSite,
  slug: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const endpoint = await gateway.call('channels.chat_door', { slug }, null, request);
    const branding = await gateway.brandings.of(gateway.caller(request), endpoint.tenant_id);
    const { file, styles } = entryOf(site, CHAT_SOURCE);
    const html = chatPage({
      slug,
      config: endpoint.config,
      branding,
      script: `/chat/${file}`,
      styles: styles.map((style) => `/chat/${style}`),
    });
    sendText(response, 200, 'text/html; charset=utf-8', html, chatHeaders(branding, endpoint.allowed_origins));
  } catch (error) {
    const { status, code, headers } = errorAnswer(error, request.requestId, 'public');
    if (code === 'internal') throw error;
    const isMissing = status === 404 || status === 400;
    sendPublicPage(response, {
      status: isMissing ? 404 : status,
      page: isMissing
        ? closedPage('No chat here', 'There is no chat at this address.')
        : closedPage('Not available', 'This chat is not available at the moment; try again later.'),
      branding: NO_BRANDING,
      // A widget shows the page, too.
      frameAncestors: frameAncestors([]),
      headers,
    });
  }
}

async function serveLogo(
  gateway: Gateway,
  id: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const { content_type, data } = await gateway.call('auth.logo', { id }, null, request);
  const bytes = Buffer.from(data, 'base64');
  response.writeHead(200, { ...LOGO_HEADERS, 'Content-Type': content_type, 'Content-Length': bytes.length }).end(bytes);
}
