import type { Json, JsonObject } from '../../../lib/json';
import type { Failed } from '../../outcome';
import type { ActionContext } from '../contract';
import { fileContent } from '../file-content';
import { listAt, objectAt, withoutUndefined, textAt } from '../values';

/** The input of a mail with its attachments in it, those that are files of the run too. @throws InvalidInputError */
export async function withAttachments(
  input: JsonObject,
  ctx: ActionContext,
): Promise<{ kind: 'input'; input: JsonObject } | { kind: 'failed'; outcome: Failed }> {
  const attachments: Json[] = [];
  for (const one of listAt(input, 'attachments').map((attachment) => objectAt(attachment))) {
    const content = await fileContent(one, ctx);
    if (content.kind === 'failed') return content;
    attachments.push(
      withoutUndefined({
        filename: one.filename,
        content_base64: Buffer.from(content.bytes).toString('base64'),
        content_type: textAt(one, 'content_type') ?? ('file' in one ? content.type : undefined),
      }),
    );
  }
  return { kind: 'input', input: attachments.length === 0 ? input : { ...input, attachments } };
}
