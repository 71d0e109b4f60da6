import { hmac, sameText } from './crypto';
import { isObject, type JsonObject } from './json';

const SIGNATURE_BYTES = 18;
/** Longer texts are no links of ours. */
const MAX_TOKEN_CHARS = 8_000;

/** What a link to a form contains. */
interface FormLink {
  /** Unique; the run that the link starts is derived from it. */
  readonly nonce: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** What fields contain at first. */
  readonly values: JsonObject;
}

/** Signs a link to the form of a workflow. The values are readable in it. */
export function formLinkToken(key: Buffer, workflowId: string, { nonce, expiresAt, values }: FormLink): string {
  const content = Buffer.from(JSON.stringify([nonce, expiresAt, values])).toString('base64url');
  return `${content}.${signature(key, workflowId, content)}`;
}

/** Reads a link; null when it is expired, changed, or of another workflow. */
export function readFormLink(key: Buffer, workflowId: string, token: string, now: number): FormLink | null {
  const [content = '', given = ''] = token.split('.');
  if (token.length > MAX_TOKEN_CHARS || !sameText(given, signature(key, workflowId, content))) return null;
  const [nonce, expiresAt, values] = JSON.parse(Buffer.from(content, 'base64url').toString()) as unknown[];
  if (typeof nonce !== 'string' || typeof expiresAt !== 'number' || !isObject(values) || expiresAt <= now) return null;
  return { nonce, expiresAt, values: values as JsonObject };
}

const signature = (key: Buffer, workflowId: string, content: string): string =>
  hmac(key, `form link\n${workflowId}\n${content}`).subarray(0, SIGNATURE_BYTES).toString('base64url');
