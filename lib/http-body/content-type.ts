import { AppError } from '../errors';

/** What a `Content-Type` says: the type in lower case, and the charset where one is given. */
export interface ContentType {
  readonly type: string;
  readonly charset: string | null;
}

export const FORM = 'application/x-www-form-urlencoded';

/** Reads a `Content-Type` field; null without one. */
export function contentTypeOf(header: string | undefined): ContentType | null {
  if (header === undefined) return null;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? null };
}

/** True of JSON and what is made of it, such as `application/vnd.api+json`. */
export const isJsonType = (type: string): boolean =>
  type === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type);

/** The text of a body. @throws AppError unsupported_media_type, invalid_request */
export function textOf(bytes: Uint8Array, media: ContentType | null): string {
  const charset = media?.charset ?? 'utf-8';
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw new AppError('unsupported_media_type', `The charset "${charset.slice(0, 40)}" is not known here; send UTF-8`);
  }
  const text = utf8(bytes);
  if (text === null) throw new AppError('invalid_request', 'The body is not valid UTF-8');
  return text;
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** The text of bytes that are UTF-8, without a byte order mark; null when they are not. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    // The one thing that a fatal decoder throws for.
    return null;
  }
}
