import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { Json } from '../../lib/json';

/** A request to a source. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

/** Its answer: JSON, or text as it is. `hang`: no answer until the server closes. */
export type Answer =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | { readonly hang: true };

/** An HTTP source on loopback with scripted answers. */
export interface SourceServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Sets the answer to all later requests. */
  answer: (asked: Asked) => Answer;
  close(): Promise<void>;
}

export async function startSourceServer(
  answer: (asked: Asked) => Answer = () => ({ body: [] }),
): Promise<SourceServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void respond(request, response));
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://source');
    const sent = await readText(request);
    const one: Asked = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: sent === '' ? null : (JSON.parse(sent) as Json),
    };
    asked.push(one);
    const given = source.answer(one);
    if ('hang' in given) return;
    const { status = 200, headers = {}, body = null } = given;
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const source: SourceServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return source;
}
