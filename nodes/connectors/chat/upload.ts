import { done, failFinally } from '../../outcome';
import type { CodeAction } from '../contract';
import { FILE_CONTENT, fileContent } from '../file-content';
import { objectAt, textAt } from '../values';
import { filledText, outputOf, text } from '../../schema';
import { CHANNEL, MESSAGE_TS } from './fields';
import { pick } from '../input';

/**
 * A file goes in three steps: the provider gives an address, takes the bytes there, and shows the file when the upload
 * is completed. Until then it is not visible.
 */
export const uploadFile: CodeAction = {
  kind: 'code',
  name: 'upload_file',
  title: 'Upload a file',
  description: 'Puts a file in a channel, or nowhere yet.',
  effect: 'write',
  repeatable: false,
  input: {
    filename: filledText('The name that readers see.', 'orders.csv', { maxLength: 255 }),
    ...FILE_CONTENT,
    channel: CHANNEL,
    thread_ts: { ...MESSAGE_TS, title: 'Thread', description: 'The timestamp of the message that it is a reply to.' },
    title: text('Instead of the file name.', 'Orders of today', { maxLength: 255 }),
    initial_comment: text('Text with it.', 'Here they are.', { maxLength: 40_000 }),
    alt_text: text('A description of an image for those who cannot see it.', 'A chart', {
      maxLength: 1_000,
    }),
  },
  required: ['filename'],
  output: outputOf({ id: text('Id of the file.'), title: text('Its title.') }, ['id']),
  async run(input, _account, ctx, send) {
    const content = await fileContent(input, ctx);
    if (content.kind === 'failed') return content.outcome;
    const { bytes } = content;
    const asked = await send({
      method: 'POST',
      url: '/files.getUploadURLExternal',
      form: true,
      body: {
        ...pick(input, 'filename'),
        length: bytes.length,
        ...('alt_text' in input ? { alt_txt: input.alt_text } : {}),
      },
    });
    if (asked.kind === 'failed') return asked.outcome;
    const url = textAt(asked.answer.body, 'upload_url');
    const id = textAt(asked.answer.body, 'file_id');
    if (url === undefined || id === undefined) {
      return failFinally('invalid_response', 'the provider gave no address to upload to');
    }
    const sent = await send({
      method: 'POST',
      url,
      anonymous: true,
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    if (sent.kind === 'failed') return sent.outcome;
    const shown = await send({
      method: 'POST',
      url: '/files.completeUploadExternal',
      body: {
        files: [{ id, title: input.title ?? input.filename ?? id }],
        ...('channel' in input ? { channel_id: input.channel } : {}),
        ...pick(input, 'thread_ts', 'initial_comment'),
      },
    });
    if (shown.kind === 'failed') return shown.outcome;
    return done({ id, ...objectAt(shown.answer.body, 'files', '0') });
  },
};
