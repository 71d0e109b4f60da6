import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as a test server saw it. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A real HTTP server on the loopback that remembers what it was asked. */
export interface TestServer {
  url: string;
  port: number;
  seen: Seen[];
  connections: () => number;
  close(): Promise<void>;
}

export type Answer = (request: Seen, response: ServerResponse) => void;

/** Starts a server on `host`, on a free port unless one is named; with `tls`, an https one. */
export async function startServer(
  answer: Answer,
  options: { host?: string; port?: number; tls?: { key: string; cert: string } } = {},
): Promise<TestServer> {
  const { host = '127.0.0.1', port: wanted = 0, tls } = options;
  const seen: Seen[] = [];
  let connections = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const entry = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(entry);
      answer(entry, response);
    });
  };
  const server: Server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls ? 'https' : 'http'}://${name}:${port}`,
    port,
    seen,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
