import { decodeBase64 } from '../../lib/base64';
import { filePath } from '../../lib/file-path';
import type { Json } from '../../lib/json';
import { isMediaType, mediaTypeOfName } from '../../lib/media-type';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, invalidConfig } from '../outcome';
import { anyValue, exactlyOneOf, objectSchema, text } from '../schema';
import { fileOutcome, MAX_FILE_BYTES, outputOf } from './file-call';
import { FILE_OUTPUT, PATH } from './file-schema';

/** The input, validated by the schema. */
interface FileWriteInput {
  readonly path: string;
  readonly content?: Json;
  readonly content_base64?: string;
  readonly content_type?: string;
}

/** Writes a file. A second attempt writes the same content to the same path. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const input = ctx.input as unknown as FileWriteInput;
  const place = filePath(input.path);
  if (place.kind === 'unusable') return invalidConfig(ctx.redact(`"path" is invalid: ${place.problem}`));
  // Paths are shown in lists and URLs.
  if (ctx.redact(place.path) !== place.path) return invalidConfig('"path" must not contain a secret');
  const content = contentOf(input);
  if (content === null) return invalidConfig('"content_base64" is not valid base64');
  if (content.length > MAX_FILE_BYTES)
    return invalidConfig(`the content has ${content.length} bytes; a step writes at most ${MAX_FILE_BYTES}`);
  const contentType = input.content_type ?? mediaTypeOfName(place.name) ?? plainType(input);
  if (!isMediaType(contentType)) return invalidConfig('"content_type" must be a media type, as text/csv');
  if (ctx.redact(contentType) !== contentType) return invalidConfig('"content_type" must not contain a secret');
  const write = () => ctx.files.write({ path: place.path, content, contentType });
  return fileOutcome(ctx, `write ${place.path}`, write, (file) => done(outputOf(file)));
}

function contentOf({ content, content_base64 }: FileWriteInput): Buffer | null {
  if (content_base64 !== undefined) return decodeBase64(content_base64);
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
}

function plainType({ content, content_base64 }: FileWriteInput): string {
  if (content_base64 !== undefined) return 'application/octet-stream';
  return typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
}

const properties = {
  path: PATH,
  content: anyValue('Text; any other value is written as JSON.', '{{ steps.report.text }}'),
  content_base64: text('Bytes, instead of text.', '{{ steps.download.body }}', { title: 'Content in base64' }),
  content_type: text('Media type. Default: by file name.', 'text/csv; charset=utf-8', {
    title: 'Content type',
    minLength: 3,
    maxLength: 200,
  }),
} as const;

export const fileWriteNode = defineNode({
  type: 'file_write',
  title: 'Write file',
  description: 'Writes a file to the workspace of the run, replacing an existing one.',
  category: 'Storage',
  effect: 'write',
  // The same content comes to the same path.
  onInterrupted: 'retry',
  input: objectSchema(properties, ['path'], exactlyOneOf('content', 'content_base64')),
  output: objectSchema(FILE_OUTPUT, ['path', 'name', 'size', 'content_type', 'sha256']),
  tool: {
    name: 'file_write',
    description: 'Writes a text file to the workspace of the run.',
    parameters: objectSchema({ path: properties.path, content: { ...properties.content, type: 'string' } }, [
      'path',
      'content',
    ]),
  },
  run,
});
