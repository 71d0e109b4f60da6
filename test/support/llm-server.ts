import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../lib/json';
import { anthropic } from './llm/anthropic';
import { google } from './llm/google';
import { openai } from './llm/openai';
import type { LlmReply, LlmSeen, Protocol, Streamed } from './llm/reply';

export type { LlmReply, LlmSeen } from './llm/reply';

/** Providers of language models on loopback with their own protocols; the test scripts the replies. */
export interface LlmServer {
  /** The value for `base_url`. */
  readonly baseUrl: { readonly openai: string; readonly anthropic: string; readonly google: string };
  /** `127.0.0.1:port`, for EGRESS_ALLOW. */
  readonly address: string;
  /** Requests for answers, in order; those that were refused too. */
  readonly seen: readonly LlmSeen[];
  close(): Promise<void>;
}

/** The reply of the model to a request; `n` counts requests from 0. */
export type LlmScript = (seen: LlmSeen, n: number) => LlmReply;

const PROTOCOLS: readonly Protocol[] = [openai, anthropic, google];

/** Replies one after the other; a request after the last of them is refused, so that a test cannot overlook it. */
export const inTurn =
  (...replies: readonly LlmReply[]): LlmScript =>
  (_seen, n) =>
    replies[n] ?? { kind: 'status', status: 500, message: 'the script is at its end' };

/** Replies by the number of answers in the conversation: a repeated request gets the same reply. */
export const byTurn =
  (...replies: readonly LlmReply[]): LlmScript =>
  ({ answersBefore }) =>
    replies[answersBefore] ?? { kind: 'status', status: 500, message: 'the script is at its end' };

/** Starts the server; with `key`, requests with another key are refused. */
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

async function reply(response: ServerResponse, protocol: Protocol, seen: LlmSeen, scripted: LlmReply): Promise<void> {
  switch (scripted.kind) {
    case 'hang':
      return;
    case 'broken':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":', () => response.destroy());
      return;
    case 'raw':
      response.writeHead(200, { 'content-type': 'application/json' }).end(scripted.body);
      return;
    case 'status': {
      const body = protocol.refuse(scripted.status, scripted.message ?? 'no');
      return send(response, { status: scripted.status, body }, scripted.headers);
    }
    case 'pieces': {
      const { pieces, tokens, breaks = false } = scripted;
      const streamed = protocol.stream(seen, { kind: 'text', text: '', tokens });
      if (streamed !== null) return stream(response, streamed, pieces, breaks);
      let text = '';
      for await (const piece of pieces) text += piece;
      return send(response, { status: 200, body: protocol.say(seen, { kind: 'text', text, tokens }) });
    }
    default: {
      const streamed = protocol.stream(seen, scripted);
      if (streamed !== null) return stream(response, streamed, wordsOf(scripted.text ?? ''), false);
      return send(response, { status: 200, body: protocol.say(seen, scripted) });
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
  // After the written data was sent.
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
