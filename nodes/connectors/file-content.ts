import { decodeBase64 } from '../../lib/base64';
import { filePath } from '../../lib/file-path';
import type { JsonObject } from '../../lib/json';
import { isMediaType } from '../../lib/media-type';
import type { NodeFiles, Outcome } from '../contract';
import { done, type Failed } from '../outcome';
import { MAX_FILE_BYTES, outputOf, fileCall } from '../storage/file-call';
import type { ActionContext } from './contract';
import { filledText, text } from '../schema';
import { InvalidInputError } from './invalid-input-error';

/** 16 MiB in base64. */
const MAX_BASE64_CHARS = 22_400_000;

/** Input fields for the content of a file, of which exactly one is required. */
export const FILE_CONTENT = {
  content: text('Content as text.', 'item,price\npen,2'),
  content_base64: text('Content in base64, instead of text.', 'aGVsbG8=', { maxLength: MAX_BASE64_CHARS }),
  file: filledText('Path of a file of the run, instead of text or base64.', 'reports/orders.csv', { maxLength: 1_024 }),
} as const;

/** Input field for the path under which a response is saved. */
export const SAVE_AS = filledText(
  'Path under which the content is saved as a file of the run, instead of in the output.',
  'label.pdf',
  { maxLength: 1_024 },
);

type FileContent =
  | { readonly kind: 'content'; readonly bytes: Uint8Array; readonly type: string }
  | { readonly kind: 'failed'; readonly outcome: Failed };

/** The content of a file, with its media type. @throws InvalidInputError */
export async function fileContent(
  { content, content_base64: base64, file }: JsonObject,
  ctx: ActionContext,
): Promise<FileContent> {
  const given = [content, base64, file].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new InvalidInputError('set exactly one of "content", "content_base64" and "file"');
  }
  if (typeof content === 'string') {
    return { kind: 'content', type: 'text/plain; charset=utf-8', bytes: Buffer.from(content) };
  }
  if (typeof file === 'string') return workspaceFile(file, ctx);
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : null;
  if (bytes === null) throw new InvalidInputError('"content_base64" is not valid base64');
  return { kind: 'content', type: 'application/octet-stream', bytes };
}

/** A file of the run. @throws InvalidInputError */
async function workspaceFile(given: string, ctx: ActionContext): Promise<FileContent> {
  const path = pathOf('file', given);
  const files = filesOf(ctx);
  const read = await fileCall(ctx, `read ${path}`, () => files.read({ path, maxBytes: MAX_FILE_BYTES }));
  if (read.kind === 'failed') return read;
  return { kind: 'content', type: read.value.contentType, bytes: read.value.content };
}

/** The output of a download: its content as text or in base64. */
export function downloadOutput(bytes: Uint8Array, type: string, asText: boolean): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    content_type: type,
    size: bytes.length,
    ...(asText ? { content: buffer.toString('utf8') } : { content_base64: buffer.toString('base64') }),
  };
}

/** Saves bytes as a file of the run; the output describes the file. @throws InvalidInputError */
export async function saveAsFile(given: string, bytes: Uint8Array, type: string, ctx: ActionContext): Promise<Outcome> {
  const path = pathOf('save_as', given);
  // Paths are shown in lists and URLs.
  if (ctx.redact(path) !== path) throw new InvalidInputError('"save_as" must not contain a secret');
  const files = filesOf(ctx);
  const contentType = isMediaType(type) ? type : 'application/octet-stream';
  const written = await fileCall(ctx, `write ${path}`, () => files.write({ path, content: bytes, contentType }));
  return written.kind === 'failed' ? written.outcome : done(outputOf(written.value));
}

function pathOf(key: string, given: string): string {
  const place = filePath(given);
  if (place.kind === 'unusable') throw new InvalidInputError(`"${key}" is invalid: ${place.problem}`);
  return place.path;
}

function filesOf({ files }: ActionContext): NodeFiles {
  if (files === null) throw new InvalidInputError('files are only available in a run');
  return files;
}
