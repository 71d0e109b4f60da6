import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** The version of the protocol: the newest, the one before it, or that one with sessions. */
export type McpEra = 'modern' | 'legacy' | 'session';

/** An MCP server on loopback, made with the official library. */
export interface TestMcpServer {
  readonly url: string;
  /** Requests: HTTP method and the protocol's method. */
  readonly seen: string[];
  /** The open sessions. */
  sessions(): number;
  close(): Promise<void>;
}

/** Starts it; with `key`, requests without it are refused. */
export async function startMcpServer(era: McpEra, options: { key?: string } = {}): Promise<TestMcpServer> {
  const seen: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const handler = createMcpHandler(makeServer, { legacy: era === 'modern' ? 'reject' : 'stateless' });

  const inSession = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await toRequest(incoming);
    const body = request.method === 'POST' ? ((await request.clone().json()) as { method?: string }) : {};
    seen.push(`${request.method} ${body.method ?? ''}`.trim());
    if (options.key !== undefined && request.headers.get('authorization') !== `Bearer ${options.key}`) {
      response.writeHead(401, { 'content-type': 'text/plain' }).end('no such key');
      return;
    }
    const given = era === 'session' ? await inSession(request) : await handler.fetch(request);
    response.writeHead(given.status, Object.fromEntries(given.headers));
    if (given.body !== null) for await (const chunk of given.body) response.write(chunk);
    response.end();
  };

  const server = createServer((incoming, response) => void answer(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    sessions: () => sessions.size,
    async close() {
      await handler.close();
      await Promise.all([...sessions.values()].map((transport) => transport.close()));
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const numbers = fromJsonSchema<{ a: number; b: number }>({
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
});
const sum = fromJsonSchema<{ sum: number }>({
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
});
const nothing = fromJsonSchema<object>({ type: 'object', properties: {} });

function makeServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Adds.', inputSchema: numbers, outputSchema: sum, annotations: { readOnlyHint: true } },
    async ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('mixed.content', { description: 'Text and more.', inputSchema: nothing }, async () => ({
    content: [
      { type: 'text', text: 'one' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'two' } },
    ],
  }));
  server.registerTool('fail', { description: 'Fails.', inputSchema: nothing }, async () => ({
    content: [{ type: 'text', text: 'out of paper' }],
    isError: true,
  }));
  return server;
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = 'GET', url = '/', headers } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://127.0.0.1${url}`, {
    method,
    headers: pairs,
    ...(method === 'POST' ? { body: Buffer.concat(chunks).toString() } : {}),
  });
}
