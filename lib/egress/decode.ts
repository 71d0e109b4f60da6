import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { codeOf, EgressError } from './error';

const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };
const unzlib = promisify(inflate);
const inflateBare = promisify(inflateRaw);

/** More layers only serve to consume processor time. */
const MAX_LAYERS = 3;

/** Value of `accept-encoding`; each is supported below. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * Decodes a body's content encodings, last applied first (RFC 9110 section 8.4). An unknown encoding leaves the bytes
 * as they are. Throws EgressError: `too_large` once a layer exceeds `maxBytes`, `protocol` for invalid data.
 */
export async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const layers = contentEncoding
    .split(',')
    .map((layer) => layer.trim().toLowerCase().replace(/^x-/, ''))
    .filter((layer) => layer !== '' && layer !== 'identity')
    .reverse();
  if (layers.length > MAX_LAYERS)
    throw new EgressError('protocol', `the response has ${layers.length} content encodings`);
  let bytes = body;
  for (const layer of layers) {
    if (bytes.length === 0) break;
    const decode = decoderOf(layer, bytes);
    if (!decode) break;
    try {
      bytes = await decode(bytes, { maxOutputLength: maxBytes });
    } catch (cause) {
      throw decodeError(layer, maxBytes, cause);
    }
  }
  return bytes;
}

function decoderOf(layer: string, bytes: Buffer): typeof unzlib | undefined {
  if (layer === 'gzip' || layer === 'br') return decoders[layer];
  if (layer !== 'deflate') return undefined;
  // Some servers send bare deflate data for `deflate`; a zlib header has method 8 in its first byte.
  return ((bytes[0] as number) & 0x0f) === 8 ? unzlib : inflateBare;
}

function decodeError(layer: string, maxBytes: number, cause: unknown): EgressError {
  return codeOf(cause) === 'ERR_BUFFER_TOO_LARGE'
    ? new EgressError('too_large', `the decoded response has more than ${maxBytes} bytes`, { cause })
    : new EgressError('protocol', `the response is not valid ${layer} data`, { cause });
}
