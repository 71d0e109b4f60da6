import type { ServerResponse } from 'node:http';
import { type Json, jsonSize } from '../../../lib/json';
import { jsonParts } from '../../../lib/json/stringify-sliced';

/** What is sent back. `body` is JSON, or nothing when undefined. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Marks an answer to a request that was answered before. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' } as const;

const JSON_TYPE = 'application/json; charset=utf-8';
/** Longer answers are written in slices of the main thread. */
const SHORT_LENGTH = 128 * 1024;

/** Sends a JSON answer. To HEAD the server itself leaves out the body. */
export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.status === 204 || answer.body === undefined) sendShort(response, answer);
  else await sendJson(response, answer.status, JSON_TYPE, answer.body, answer.headers);
}

/** The same at once, for what is known to be short, such as errors. */
export function sendShort(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  if (body === undefined || status === 204) response.writeHead(status, headers).end();
  else sendText(response, status, JSON_TYPE, JSON.stringify(body), headers);
}

type Headers = Readonly<Record<string, string | string[]>>;

export async function sendJson(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: unknown,
  headers: Headers = {},
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  if (isShort(body)) {
    sendText(response, status, contentType, JSON.stringify(body), headers);
    return;
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of jsonParts(body)) {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  }
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'Content-Type': contentType, 'Content-Length': length });
  for (const part of parts) response.write(part);
  response.end();
}

/** Looks at no more than a short answer has. */
const isShort = (body: unknown): boolean => jsonSize(body as Json, SHORT_LENGTH) <= SHORT_LENGTH;

export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Headers = {},
): void {
  response
    .writeHead(status, { ...headers, 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
