import { isObject } from '../../../lib/json';
import type { ConnectorRequest } from '../contract';
import { fieldsOf } from './url';

/** An encoded body with its headers. */
interface Payload {
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** Encodes the body of a request. Pure. */
export function payloadOf({ headers = {}, body, form }: ConnectorRequest): Payload {
  if (body === undefined || body === null) return { headers: { accept: 'application/json', ...headers } };
  const { type, bytes } = encoded(body, form === true);
  return { headers: { accept: 'application/json', 'content-type': type, ...headers }, body: bytes };
}

function encoded(
  body: NonNullable<ConnectorRequest['body']>,
  form: boolean,
): { type: string; bytes: string | Uint8Array } {
  if (body instanceof Uint8Array) return { type: 'application/octet-stream', bytes: body };
  if (form && isObject(body))
    return { type: 'application/x-www-form-urlencoded', bytes: new URLSearchParams(fieldsOf(body)).toString() };
  if (typeof body === 'string') return { type: 'text/plain; charset=utf-8', bytes: body };
  return { type: 'application/json', bytes: JSON.stringify(body) };
}
