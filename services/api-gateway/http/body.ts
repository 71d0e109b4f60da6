import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import type { TakeBytes } from './body-budget';
import { assertText, parseJson } from './json-body';
import { parseQuery, type Query } from './query';

const EMPTY = Buffer.alloc(0);
const DECODERS: Readonly<Record<string, (data: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/**
 * The bytes of a request's body, decompressed, at most `limit` of them.
 * @throws AppError payload_too_large, unsupported_media_type (encoding), invalid_request (cut off or broken), unavailable
 */
export async function readBody(request: IncomingMessage, limit: number, take: TakeBytes): Promise<Buffer> {
  const announced = request.headers['content-length'];
  if (announced === undefined ? request.headers['transfer-encoding'] === undefined : announced === '0') return EMPTY;
  if (Number(announced) > limit) throw tooLarge(limit);
  const bytes = await collect(request, limit, take);
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  if (!Object.hasOwn(DECODERS, encoding)) {
    throw new AppError('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or none');
  }
  const decoded = await decode(DECODERS[encoding] as (typeof DECODERS)[string], bytes, limit, encoding);
  take(decoded.length);
  return decoded;
}

async function decode(
  decoder: (typeof DECODERS)[string],
  bytes: Buffer,
  limit: number,
  encoding: string,
): Promise<Buffer> {
  try {
    return await decoder(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new AppError('invalid_request', `The body is not valid ${encoding} data`, {}, { cause });
  }
}

function collect(request: IncomingMessage, limit: number, take: TakeBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A client who left while others were asked: nothing more will be heard of this request.
    if (request.destroyed) return reject(cutOff());
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) finish(() => reject(tooLarge(limit)));
      else taking(size);
    };
    const taking = (bytes: number): void => {
      try {
        take(bytes);
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const onEnd = (): void =>
      finish(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onCut = (): void => finish(() => reject(cutOff()));
    const finish = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      // What is left is read and thrown away, so that the answer reaches a client who is still sending.
      request.on('error', ignore).resume();
      settle();
    };
    request.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
}

const cutOff = (): AppError => new AppError('invalid_request', 'The body was cut off');

/** The connection is gone; whoever waited has been told. */
const ignore = (): void => {};

const tooLarge = (limit: number): AppError =>
  new AppError('payload_too_large', `The body is larger than ${limit} bytes`);

interface MediaType {
  type: string;
  charset: string | null;
}

function mediaTypeOf(request: IncomingMessage): MediaType | null {
  const header = request.headers['content-type'];
  if (header === undefined) return null;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? null };
}

const isJson = (type: string): boolean => type === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(type);

/** The JSON value of a body on a JSON route; undefined for an empty one. @throws AppError */
export function jsonBody(request: IncomingMessage, bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  const media = mediaTypeOf(request);
  if (media !== null && !isJson(media.type)) {
    throw new AppError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json');
  }
  const text = textOf(bytes, media);
  const value = parseJson(text);
  assertText(text, value);
  return value;
}

/** The fields of a form that a browser has posted (WHATWG URL-encoded). @throws AppError */
export function formBody(request: IncomingMessage, bytes: Buffer): Query {
  const media = mediaTypeOf(request);
  if (media?.type !== 'application/x-www-form-urlencoded') {
    throw new AppError('unsupported_media_type', 'The body must be a form: application/x-www-form-urlencoded');
  }
  return parseQuery(textOf(bytes, media));
}

/** A webhook's body: JSON and forms parsed; other text as text; what is not text in base64; null for an empty one. */
export function webhookBody(request: IncomingMessage, bytes: Buffer): Json {
  if (bytes.length === 0) return null;
  const media = mediaTypeOf(request);
  if (media !== null && isJson(media.type)) return parseJson(textOf(bytes, media));
  if (media?.type === 'application/x-www-form-urlencoded') return { ...parseQuery(textOf(bytes, media)) };
  if (media?.type.startsWith('text/') === true) return textOf(bytes, media);
  return utf8(bytes) ?? bytes.toString('base64');
}

function textOf(bytes: Buffer, media: MediaType | null): string {
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
function utf8(bytes: Buffer): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    // The one thing that a fatal decoder throws for.
    return null;
  }
}
