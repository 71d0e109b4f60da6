import { isUtf8 } from 'node:buffer';
import { decodeSliced } from '../decode-sliced';
import { AppError } from '../errors';

/** A parsed `Content-Type`: the type in lower case, and the charset if given. */
export interface ContentType {
  readonly type: string;
  readonly charset: string | null;
}

export const FORM = 'application/x-www-form-urlencoded';

/** Parses a `Content-Type` header; null without one. */
export function contentTypeOf(header: string | undefined): ContentType | null {
  if (header === undefined) return null;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? null };
}

/** True for JSON and types based on it, such as `application/vnd.api+json`. */
export const isJsonType = (type: string): boolean =>
  type === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type);

/** @throws AppError unsupported_media_type for another encoding than UTF-8 */
export function assertUtf8Charset(media: ContentType | null): void {
  const charset = media?.charset ?? 'utf-8';
  if (['utf-8', 'utf8', 'us-ascii'].includes(charset)) return;
  throw new AppError('unsupported_media_type', `The charset "${charset.slice(0, 40)}" is not supported; send UTF-8`);
}

/** The text of a body. @throws AppError unsupported_media_type, invalid_request */
export async function textOf(bytes: Uint8Array, media: ContentType | null): Promise<string> {
  assertUtf8Charset(media);
  const text = await utf8(bytes);
  if (text === null) throw new AppError('invalid_request', 'The body is not valid UTF-8');
  return text;
}

/** Decodes UTF-8 without a byte order mark; null for other bytes. */
export const utf8 = async (bytes: Uint8Array): Promise<string | null> => (isUtf8(bytes) ? decodeSliced(bytes) : null);
