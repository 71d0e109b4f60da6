import { isConnectionHeader, isHeaderValue, isToken } from '../../../lib/egress';
import type { Json } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../contract';
import { done, invalidConfig } from '../../outcome';

type HeaderValue = string | number | boolean | null | string[];

/** The input as its schema promises it. */
interface WebhookResponseInput {
  status?: number;
  headers?: Record<string, HeaderValue>;
  body?: Json;
}

/** Names and values together; clients and proxies refuse a whole answer from 16 KiB on, their own headers counted. */
const MOST_HEADER_BYTES = 8 * 1024;

/** Checks the response here, where its author sees the problem, and not at the gateway, where its caller would. */
export function run(ctx: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const { status = 200, headers = {}, body = null } = ctx.input as unknown as WebhookResponseInput;
  if (!Number.isInteger(status) || status < 200 || status > 599) return invalidConfig('"status" must be 200 to 599');
  const sent = new Map<string, string | string[]>();
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) continue;
    const problem = headerProblem(name, value);
    if (problem) return invalidConfig(ctx.mask(`the header ${JSON.stringify(name)} ${problem}`));
    sent.set(name.toLowerCase(), Array.isArray(value) ? value : String(value));
  }
  const size = [...sent].reduce((sum, [name, value]) => sum + Buffer.byteLength(`${name}${String(value)}`), 0);
  if (size > MOST_HEADER_BYTES)
    return invalidConfig(`the headers have ${size} bytes; ${MOST_HEADER_BYTES} is the most`);
  return done({ status, headers: Object.fromEntries(sent), body });
}

function headerProblem(name: string, value: Exclude<HeaderValue, null>): string | null {
  if (!isToken(name)) return 'has a character that no header name may have';
  if (isConnectionHeader(name)) return 'belongs to the connection and cannot be set';
  const values = Array.isArray(value) ? value : [String(value)];
  return values.every(isHeaderValue) ? null : 'has a line break or another forbidden character in its value';
}
