import { FILE_CONTENT } from '../file-content';
import { choice, integer, list, object, outputOf, text } from '../schemas';

export const MESSAGE_ID = text('Message', 'Id of the message.', '18c2a4f0b1d2e3f4', { minLength: 1, maxLength: 200 });

const mailboxes = (title: string, description: string, least = 0) =>
  list(
    text('Address', 'An address, or a name and an address.', 'Ada Lovelace <ada@example.com>', {
      minLength: 3,
      maxLength: 512,
    }),
    title,
    description,
    ['ada@example.com'],
    { minItems: least, maxItems: 100 },
  );

export const TO = mailboxes('To', 'Who gets it; with copies at most 100.', 1);

export const COPIES = {
  cc: mailboxes('Copy', 'Who gets a copy.'),
  bcc: mailboxes('Blind copy', 'Who gets a copy that the others do not see.'),
} as const;

export const SUBJECT = text('Subject', 'One line.', 'Order 4711 has shipped', { maxLength: 998 });

export const CONTENT = {
  text: text('Text', 'The message without any layout.', 'Dear Ada,\n\nyour order has shipped.'),
  html: text('HTML', 'With a text too, readers choose.', '<p>Your order has <b>shipped</b>.</p>'),
  attachments: list(
    object(
      {
        filename: text('File name', 'The name that readers see.', 'order.csv', { minLength: 1, maxLength: 255 }),
        content: text('Text', 'What the file holds, as text.', 'item,price'),
        content_base64: text('Bytes', 'What the file holds, in base64, instead of the text.', 'aGVsbG8='),
        file: FILE_CONTENT.file,
        content_type: text('Type', 'By the file name unless it says so.', 'text/csv', {
          pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
          maxLength: 255,
        }),
      },
      'Attachment',
      'A file.',
      { required: ['filename'] },
    ),
    'Attachments',
    '10 MiB in all.',
    [{ filename: 'order.csv', content: 'item,price\npen,2' }],
    { maxItems: 50 },
  ),
} as const;

export const SENDER = {
  from: text('From', 'One of the addresses of the account; its own unless it says so.', 'Orders <orders@example.com>', {
    maxLength: 512,
  }),
  reply_to: mailboxes('Reply to', 'Where answers go.'),
} as const;

export const SENT = outputOf(
  {
    id: text('Id', 'Id of the message.'),
    thread_id: text('Thread', 'Id of the conversation.'),
    label_ids: list(text('Label', 'Id of a label.'), 'Labels', 'What it is labelled with.'),
  },
  ['id'],
);

export const LABEL_IDS = (title: string, description: string, sample: string) =>
  list(text('Label', 'Id of a label.', sample, { minLength: 1, maxLength: 200 }), title, description, [sample], {
    maxItems: 100,
  });

export const MESSAGE = outputOf(
  {
    id: text('Id', 'Id of the message.'),
    thread_id: text('Thread', 'Id of the conversation.'),
    from: text('From', 'Who wrote it.'),
    to: text('To', 'Whom it was sent to.'),
    cc: text('Copy', 'Who got copies.'),
    subject: text('Subject', 'What it is about.'),
    date: text('Date', 'When it came, as RFC 3339.'),
    snippet: text('Beginning', 'A few words of it.'),
    text: text('Text', 'What it says.'),
    html: text('HTML', 'The same with its layout.'),
    label_ids: list(text('Label', 'Id of a label.'), 'Labels', 'What it is labelled with.'),
    headers: object({}, 'Headers', 'All headers, by lower-case name; of repeated ones the first.', { open: true }),
    attachments: list(
      object(
        {
          attachment_id: text('Id', 'For reading it.'),
          filename: text('File name', 'Its name.'),
          content_type: text('Type', 'Its type.'),
          size: integer('Size', 'In bytes.'),
        },
        'Attachment',
        'A file.',
        { open: true },
      ),
      'Attachments',
      'Files in it.',
    ),
  },
  ['id'],
);

export const LABEL = object(
  {
    id: text('Id', 'Id of the label.'),
    name: text('Name', 'Its name.'),
    type: choice(['system', 'user'], 'Kind', 'Whether the account made it.'),
  },
  'Label',
  'A label.',
  { open: true },
);
