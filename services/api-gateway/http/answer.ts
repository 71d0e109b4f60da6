import type { ServerResponse } from 'node:http';

/** What is sent back. `body` is JSON, or nothing when undefined. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Marks an answer to a request that was answered before. */
export const REPLAYED = { 'Idempotent-Replayed': 'true' } as const;

/** Sends a JSON answer. To HEAD the server itself leaves out the body. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  if (answer.body === undefined || answer.status === 204) {
    response.writeHead(answer.status, answer.headers).end();
    return;
  }
  sendText(response, answer.status, 'application/json; charset=utf-8', JSON.stringify(answer.body), answer.headers);
}

export function sendText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  response
    .writeHead(status, { ...headers, 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
