import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../lib/json';
import { anthropic } from './llm/anthropic';
import { google } from './llm/google';
import { openai } from './llm/openai';
import type { LlmReply, LlmSeen, Protocol, Streamed } from './llm/reply';

export type { LlmReply, LlmSeen } from './llm/reply';

/** Providers of language models on the loopback, speaking their own protocols, with a test as the model. */
export interface LlmServer {
  /** What to give as `base_url`. */
  readonly baseUrl: { readonly openai: string; readonly anthropic: string; readonly google: string };
  /** `127.0.0.1:port`, for EGRESS_ALLOW. */
  readonly address: string;
  /** Requests for answers, in order; those that were refused too. */
  readonly seen: readonly LlmSeen[];
  close(): Promise<void>;
}

/** What the model says to a request; `n` counts requests from 0. */
export type LlmScript = (seen: LlmSeen, n: number) => LlmReply;

const PROTOCOLS: readonly Protocol[] = [openai, anthropic, google];

/** Replies one after the other; a request beyond them is refused, so that a test cannot overlook it. */
export const inTurn =
  (...replies: readonly LlmReply[]): LlmScript =>
  (_seen, n) =>
    replies[n] ?? { kind: 'status', status: 500, message: 'the script is at its end' };

/** Replies by how many answers a conversation has in it already: a request that comes twice gets the same twice. */
export const byTurn =
  (...replies: readonly LlmReply[]): LlmScript =>
  ({ answersBefore }) =>
    replies[answersBefore] ?? { kind: 'status', status: 500, message: 'the script is at its end' };

/** Starts the server; with `key`, requests that show another one are refused. */
export async function startLlmServer(script: LlmScript, options: { key?: string } = {}): Promise<LlmServer> {
  const seen: LlmSeen[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', headers } = request;
      for (const protocol of PROTOCOLS) {
        const read = protocol.read(url, body);
        const other = read === null ? protocol.other(method, url, body) : null;
        if (read === null && other === null) continue;
        if (options.key !== undefined && protocol.key(headers) !== options.key) {
          const shown = protocol.key(headers) ?? '';
          const refusal = protocol.refuse(401, `Incorrect API key provided: ${shown}`);
          return send(response, { status: 401, body: refusal });
        }
        if (read === null) return send(response, other as { status: number; body: Json });
        const { fault, ...what } = read;
        const entry: LlmSeen = { path: url, headers, body, ...what };
        seen.push(entry);
        if (fault !== null) return send(response, { status: 400, body: protocol.refuse(400, fault) });
        return void reply(response, protocol, entry, script(entry, seen.length - 1));
      }
      return send(response, { status: 404, body: { error: { message: `Unknown request URL: ${method} ${url}` } } });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    baseUrl: {
      openai: `http://${address}/v1`,
      anthropic: `http://${address}/anthropic/v1`,
      google: `http://${address}/v1beta`,
    },
    address,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function reply(response: ServerResponse, protocol: Protocol, seen: LlmSeen, said: LlmReply): Promise<void> {
  switch (said.kind) {
    case 'hang':
      return;
    case 'broken':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': 'application/json' }).end(said.body);
      return;
    case 'status': {
      const body = protocol.refuse(said.status, said.message ?? 'no');
      return send(response, { status: said.status, body }, said.headers);
    }
    case 'pieces': {
      const { pieces, tokens, breaks = false } = said;
      const streamed = protocol.stream(seen, { kind: 'text', text: '', tokens });
      if (streamed !== null) return stream(response, streamed, pieces, breaks);
      let text = '';
      for await (const piece of pieces) text += piece;
      return send(response, { status: 200, body: protocol.say(seen, { kind: 'text', text, tokens }) });
    }
    default: {
      const streamed = protocol.stream(seen, said);
      if (streamed !== null) return stream(response, streamed, wordsOf(said.text ?? ''), false);
      return send(response, { status: 200, body: protocol.say(seen, said) });
    }
  }
}

/** Server-sent events, as all the providers stream. */
async function stream(
  response: ServerResponse,
  { before, piece, after, end }: Streamed,
  pieces: Iterable<string> | AsyncIterable<string>,
  breaks: boolean,
): Promise<void> {
  const write = (event: JsonObject): void => {
    const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  before.forEach(write);
  for await (const text of pieces) write(piece(text));
  // After what was written has had its time to go out.
  if (breaks) return void setImmediate(() => response.destroy());
  after.forEach(write);
  response.end(end === undefined ? '' : `data: ${end}\n\n`);
}

const wordsOf = (text: string): string[] => text.split(/(?<= )/);

function send(response: ServerResponse, { status, body }: { status: number; body: Json }, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}
