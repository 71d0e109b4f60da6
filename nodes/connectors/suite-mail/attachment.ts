import { mediaTypeOfName } from '../../../lib/media-type';
import { done } from '../../outcome';
import type { CodeAction } from '../contract';
import { SAVE_AS, saveAsFile } from '../file-content';
import { urlPath } from '../http/path';
import { filledText, integer, outputOf, text } from '../../schema';
import { textAt } from '../values';
import { MESSAGE_ID } from './fields';

/** A file of a message, as the output or as a file of the run. */
export const getAttachment: CodeAction = {
  kind: 'code',
  name: 'get_attachment',
  title: 'Get an attachment',
  description: 'Returns an attachment in base64, or saves it as a file of the run.',
  effect: 'read',
  repeatable: true,
  input: {
    message_id: MESSAGE_ID,
    attachment_id: filledText('ID of the attachment, as returned with the message.', 'ANGjdJ8w', { maxLength: 2_000 }),
    save_as: SAVE_AS,
  },
  required: ['message_id', 'attachment_id'],
  output: outputOf(
    {
      content_base64: text('Content in base64, unless saved.'),
      size: integer('Size in bytes.'),
      path: text('Path in the workspace of the run, if saved.'),
    },
    ['size'],
  ),
  async run(input, _account, ctx, send) {
    const sent = await send({
      method: 'GET',
      url: urlPath`/gmail/v1/users/me/messages/${input.message_id}/attachments/${input.attachment_id}`,
    });
    if (sent.kind === 'failed') return sent.outcome;
    const bytes = Buffer.from(textAt(sent.response.body, 'data') ?? '', 'base64url');
    const path = textAt(input, 'save_as');
    return path === undefined
      ? done({ content_base64: bytes.toString('base64'), size: bytes.length })
      : saveAsFile(path, bytes, mediaTypeOfName(path) ?? 'application/octet-stream', ctx);
  },
};
