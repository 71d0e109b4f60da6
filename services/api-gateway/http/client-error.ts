import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { randomId } from '../../../lib/ids';

const STATUSES: Readonly<Record<string, { status: number; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line or the headers are too long' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time' },
};
const MALFORMED = { status: 400, message: 'This is not a well-formed HTTP request' };

/** Answers what the HTTP parser refuses, before there is a request, in the same shape as every other error. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = error.code !== undefined && Object.hasOwn(STATUSES, error.code) ? STATUSES[error.code] : undefined;
  const { status, message } = known ?? MALFORMED;
  const requestId = randomId();
  const body = JSON.stringify({ error: message, code: 'invalid_request', request_id: requestId });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Access-Control-Allow-Origin: *',
      'X-Content-Type-Options: nosniff',
      `X-Request-ID: ${requestId}`,
      '',
      body,
    ].join('\r\n'),
  );
}
