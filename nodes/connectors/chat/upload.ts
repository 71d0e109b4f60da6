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
  description: 'Uploads a file, optionally to a channel.',
  effect: 'write',
  repeatable: false,
  input: {
    filename: filledText('File name.', 'orders.csv', { maxLength: 255 }),
    ...FILE_CONTENT,
    channel: CHANNEL,
    thread_ts: { ...MESSAGE_TS, title: 'Thread', description: 'Timestamp of the message to reply to.' },
    title: text('Title. Default: the file name.', 'Orders of today', { maxLength: 255 }),
    initial_comment: text('Caption.', 'Here they are.', { maxLength: 40_000 }),
    alt_text: text('Alternative text for an image.', 'A chart', { maxLength: 1_000 }),
  },
  required: ['filename'],
  output: outputOf({ id: text('ID of the file.'), title: text('Title.') }, ['id']),
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
    const url = textAt(asked.response.body, 'upload_url');
    const id = textAt(asked.response.body, 'file_id');
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
    return done({ id, ...objectAt(shown.response.body, 'files', '0') });
  },
};
