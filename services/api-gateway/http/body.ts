import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '../../../lib/errors';
import { contentTypeOf, FORM, isJsonType, textOf } from '../../../lib/http-body/content-type';
import { parseQuery, type Query } from '../../../lib/http-body/form';
import { assertText, parseJson } from '../../../lib/http-body/json-body';
import type { Json } from '../../../lib/json';
import type { TakeBytes } from './body-budget';

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

/** The JSON value of a body on a JSON route; undefined for an empty one. @throws AppError */
export function jsonBody(request: IncomingMessage, bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  const media = contentTypeOf(request.headers['content-type']);
  if (media !== null && !isJsonType(media.type)) {
    throw new AppError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json');
  }
  const text = textOf(bytes, media);
  const value = parseJson(text);
  assertText(text, value);
  return value;
}

/** The fields of a form that a browser has posted (WHATWG URL-encoded). @throws AppError */
export function formBody(request: IncomingMessage, bytes: Buffer): Query {
  const media = contentTypeOf(request.headers['content-type']);
  if (media?.type !== FORM) {
    throw new AppError('unsupported_media_type', `The body must be a form: ${FORM}`);
  }
  return parseQuery(textOf(bytes, media));
}
