import { decodeBase64 } from '../../../lib/base64';
import { filePath } from '../../../lib/file-path';
import type { Json } from '../../../lib/json';
import { isMediaType, mediaTypeOfName } from '../../../lib/media-type';
import type { NodeContext, Outcome } from '../../contract';
import { done, invalidConfig } from '../../outcome';
import { filed, MOST_BYTES, outputOf } from '../file-answer';

/** The input as the manifest's schema promises it. */
interface FileWriteInput {
  readonly path: string;
  readonly content?: Json;
  readonly content_base64?: string;
  readonly content_type?: string;
}

/** Writes a file. A second attempt writes the same content to the same path. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const input = ctx.input as unknown as FileWriteInput;
  const place = filePath(input.path);
  if (place.kind === 'unusable') return invalidConfig(ctx.mask(`"path" cannot be used: ${place.problem}`));
  // Paths are listed, and stand in addresses.
  if (ctx.mask(place.path) !== place.path) return invalidConfig('"path" must not hold a secret');
  const content = contentOf(input);
  if (content === null) return invalidConfig('"content_base64" is no valid base64');
  if (content.length > MOST_BYTES)
    return invalidConfig(`the content has ${content.length} bytes; a step writes at most ${MOST_BYTES}`);
  const contentType = input.content_type ?? mediaTypeOfName(place.name) ?? plainType(input);
  if (!isMediaType(contentType)) return invalidConfig('"content_type" must be a media type, as text/csv');
  if (ctx.mask(contentType) !== contentType) return invalidConfig('"content_type" must not hold a secret');
  const write = () => ctx.files.write({ path: place.path, content, contentType });
  return filed(ctx, `write ${place.path}`, write, (file) => done(outputOf(file)));
}

function contentOf({ content, content_base64 }: FileWriteInput): Buffer | null {
  if (content_base64 !== undefined) return decodeBase64(content_base64);
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
}

function plainType({ content, content_base64 }: FileWriteInput): string {
  if (content_base64 !== undefined) return 'application/octet-stream';
  return typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}
