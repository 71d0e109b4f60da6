import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError } from '../../../lib/errors';
import { assertUtf8Charset, contentTypeOf, FORM, isJsonType } from '../../../lib/http-body/content-type';
import { parseForm, type Query } from '../../../lib/http-body/form';
import { parseJsonText } from '../../../lib/http-body/json-body';
import type { Json } from '../../../lib/json';
import type { TakeBytes } from './body-budget';

const EMPTY = Buffer.alloc(0);
const CHUNK_BYTES = 64 * 1024;
const DECODERS: Readonly<Record<string, (options: { chunkSize: number }) => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What a route takes as a body. */
export interface BodyRules {
  /** Of the body as it is sent, and of what is unpacked from it. */
  readonly maxBytes: number;
  /** Whether it may be compressed. */
  readonly compressed: boolean;
}

/**
 * The bytes of a request's body, decompressed.
 * @throws AppError payload_too_large, unsupported_media_type (encoding), invalid_request (cut off or broken), unavailable
 */
export async function readBody(request: IncomingMessage, rules: BodyRules, take: TakeBytes): Promise<Buffer> {
  const { maxBytes } = rules;
  const announced = request.headers['content-length'];
  if (announced === undefined ? request.headers['transfer-encoding'] === undefined : announced === '0') return EMPTY;
  assertAllowed(request, rules);
  const encoding = encodingOf(request);
  const bytes = await collect(request, maxBytes, take);
  return encoding === 'identity' || bytes.length === 0 ? bytes : decode(encoding, bytes, maxBytes, take);
}

/** Refuses a body by what its header fields say of it. @throws AppError payload_too_large, unsupported_media_type */
export function assertAllowed(request: IncomingMessage, { maxBytes, compressed }: BodyRules): void {
  const encoding = encodingOf(request);
  if (encoding !== 'identity' && !compressed)
    throw new AppError('unsupported_media_type', 'The body must not be compressed here; send no Content-Encoding');
  if (encoding !== 'identity' && !Object.hasOwn(DECODERS, encoding))
    throw new AppError('unsupported_media_type', 'The Content-Encoding must be gzip, deflate, br or none');
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
}

const encodingOf = ({ headers }: IncomingMessage): string =>
  headers['content-encoding']?.trim().toLowerCase() ?? 'identity';

/** Each piece is counted before the next is unpacked, so that a bomb ends where its limit is. */
async function decode(encoding: string, bytes: Buffer, maxBytes: number, take: TakeBytes): Promise<Buffer> {
  const decoder = (DECODERS[encoding] as (typeof DECODERS)[string])({ chunkSize: CHUNK_BYTES });
  decoder.end(bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      take(size);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('invalid_request', `The body is not valid ${encoding} data`, {}, { cause });
  }
  return Buffer.concat(chunks, size);
}

function collect(request: IncomingMessage, limit: number, take: TakeBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The client has disconnected meanwhile: no further events follow.
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

/** The connection is closed; its waiting readers have been rejected. */
const ignore = (): void => {};

const tooLarge = (limit: number): AppError =>
  new AppError('payload_too_large', `The body is larger than ${limit} bytes`);

/** The JSON value of a body on a JSON route; undefined for an empty one. @throws AppError */
export async function jsonBody(request: IncomingMessage, bytes: Buffer): Promise<Json | undefined> {
  if (bytes.length === 0) return undefined;
  const media = contentTypeOf(request.headers['content-type']);
  if (media !== null && !isJsonType(media.type)) {
    throw new AppError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json');
  }
  assertUtf8Charset(media);
  return parseJsonText(bytes);
}

/** The fields of a form that a browser has posted (WHATWG URL-encoded). @throws AppError */
export async function formBody(request: IncomingMessage, bytes: Buffer): Promise<Query> {
  const media = contentTypeOf(request.headers['content-type']);
  if (media?.type !== FORM) {
    throw new AppError('unsupported_media_type', `The body must be a form: ${FORM}`);
  }
  return parseForm(bytes, media);
}
