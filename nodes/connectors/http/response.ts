import type { Json } from '../../../lib/json';
import { readBody } from '../../http/http-request/body';
import type { NodeHttp } from '../../contract';
import type { ConnectorResponse } from '../contract';

type Response = Pick<Awaited<ReturnType<NodeHttp['request']>>, 'status' | 'headers' | 'body'>;

/** A response with its body read. */
export async function parseResponse({ status, headers, body }: Response): Promise<ConnectorResponse> {
  const joined = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
  return { status, headers: joined, body: await bodyOf(body, joined['content-type'] ?? ''), bytes: body };
}

const JSON_TYPE = /^\s*application\/(?:[^;]+\+)?json\s*(?:;|$)/i;

async function bodyOf(bytes: Buffer, type: string): Promise<Json> {
  if (bytes.length === 0) return null;
  const read = await readBody(bytes, type, JSON_TYPE.test(type) ? 'auto' : 'text');
  return read.kind === 'read' ? read.body : null;
}
