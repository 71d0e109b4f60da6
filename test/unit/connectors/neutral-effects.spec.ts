import { neutral } from '../../../nodes/connectors/neutral';
import { nodesOf } from '../../../nodes/connectors/node';

const types = (wanted: (node: ReturnType<typeof nodesOf>[number]) => boolean): string[] =>
  neutral
    .flatMap(nodesOf)
    .filter(wanted)
    .map(({ type }) => type)
    .sort();

test('what a provider cannot tell from a repetition is asked about after a crash', () => {
  expect(types(({ onInterrupted }) => onInterrupted === 'ask')).toEqual([
    'bot-messenger.send_document',
    'bot-messenger.send_message',
    'bot-messenger.send_photo',
    'chat.post_message',
    'chat.reply_in_thread',
    'chat.upload_file',
    'messaging-a.reply',
    'messaging-a.send_buttons',
    'messaging-a.send_media',
    'messaging-a.send_template',
    'messaging-a.send_text',
    'messaging-b.send_attachment',
    'messaging-b.send_quick_replies',
    'messaging-b.send_text',
    'notes.add_comment',
    'notes.append_blocks',
    'notes.create_database_item',
    'notes.create_page',
    'suite-calendar.quick_add_event',
    'suite-drive.copy_file',
    'suite-drive.create_folder',
    'suite-drive.share_file',
    'suite-drive.upload_file',
    'suite-mail.create_draft',
    'suite-mail.reply',
    'suite-mail.send',
    'suite-sheets.add_sheet',
    'suite-sheets.append_rows',
    'suite-sheets.create_spreadsheet',
  ]);
});

test('what changes something says so, and what only asks does not', () => {
  const asking = /^(?:get|list|search|find|read|lookup|download|query|about|whoami|check)/;
  const byName = types(({ type }) => asking.test(type.split('.')[1] ?? ''));
  expect(types(({ effect }) => effect === 'read')).toEqual(byName);
});
