import { filePath } from '../../../lib/file-path';
import type { NodeContext, Outcome } from '../../contract';
import { readBody } from '../../http/http-request/body';
import { done, failFinally, invalidConfig } from '../../outcome';
import { filed, MOST_BYTES, outputOf } from '../file-answer';

/** The input as the manifest's schema promises it. */
interface FileReadInput {
  readonly path: string;
  readonly response?: 'auto' | 'json' | 'text' | 'base64';
  readonly execution_id?: string;
}

/** Reads a file, as text, JSON or bytes. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const { path, response = 'auto', execution_id } = ctx.input as unknown as FileReadInput;
  const place = filePath(path);
  if (place.kind === 'unusable') return invalidConfig(ctx.mask(`"path" cannot be used: ${place.problem}`));
  const of = execution_id === undefined ? {} : { executionId: execution_id };
  const subject = `read ${place.path}`;
  const read = () => ctx.files.read({ path: place.path, ...of, maxBytes: MOST_BYTES });
  return filed(ctx, subject, read, ({ content, ...file }) => {
    const body = readBody(content, file.contentType, response);
    if (body.kind === 'unreadable') return failFinally('invalid_content', ctx.mask(`${subject}: it is no valid JSON`));
    return done({ content: body.body, ...outputOf(file) });
  });
}
