import { filePath } from '../../lib/file-path';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { readBody } from '../http/http-request/body';
import { done, failFinally, invalidConfig } from '../outcome';
import { anyValue, choice, filledText, objectSchema } from '../schema';
import { fileOutcome, MAX_FILE_BYTES, outputOf } from './file-call';
import { FILE_OUTPUT, PATH } from './file-schema';

/** The input, validated by the schema. */
interface FileReadInput {
  readonly path: string;
  readonly response?: 'auto' | 'json' | 'text' | 'base64';
  readonly execution_id?: string;
}

/** Reads a file, as text, JSON or bytes. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { path, response = 'auto', execution_id } = ctx.input as unknown as FileReadInput;
  const place = filePath(path);
  if (place.kind === 'unusable') return invalidConfig(ctx.redact(`"path" is invalid: ${place.problem}`));
  const of = execution_id === undefined ? {} : { executionId: execution_id };
  const subject = `read ${place.path}`;
  const read = () => ctx.files.read({ path: place.path, ...of, maxBytes: MAX_FILE_BYTES });
  return fileOutcome(ctx, subject, read, async ({ content, ...file }) => {
    const body = await readBody(content, file.contentType, response);
    if (body.kind === 'unreadable')
      return failFinally('invalid_content', ctx.redact(`${subject}: it is not valid JSON`));
    return done({ content: body.body, ...outputOf(file) });
  });
}

export const fileReadNode = defineNode({
  type: 'file_read',
  title: 'Read file',
  description: 'Reads a file from the workspace of the run, or of another run of the tenant.',
  category: 'Storage',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      path: PATH,
      response: choice(['auto', 'json', 'text', 'base64'], 'Encoding of the content; auto decides by media type.', {
        default: 'auto',
      }),
      execution_id: filledText('ID of the run that wrote it. Default: this run.', '{{ trigger.body.execution_id }}', {
        title: 'Execution',
        maxLength: 100,
      }),
    },
    ['path'],
  ),
  output: objectSchema(
    {
      content: anyValue('Text, the value of a JSON document, or base64.'),
      ...FILE_OUTPUT,
    },
    ['content', 'path', 'name', 'size', 'content_type', 'sha256'],
  ),
  tool: {
    name: 'file_read',
    description: 'Reads a file from the workspace of the run.',
    parameters: objectSchema({ path: PATH }, ['path']),
  },
  run,
});
