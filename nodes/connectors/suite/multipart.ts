import { createHash } from 'node:crypto';
import type { Json } from '../../../lib/json';
import type { ConnectorRequest } from '../contract';

/**
 * A file and its metadata in one body (`multipart/related`, RFC 2387). `seed` makes the boundary, so that
 * attempts of a step send the same; the author of a file cannot know it.
 */
export function multipartRelated(
  seed: string,
  metadata: Json,
  file: { readonly type: string; readonly bytes: Uint8Array },
): Required<Pick<ConnectorRequest, 'headers' | 'body'>> {
  const boundary = createHash('sha256').update(seed).digest('hex');
  const head =
    `--${boundary}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n${JSON.stringify(metadata)}\r\n` +
    `--${boundary}\r\ncontent-type: ${file.type}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/related; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}
