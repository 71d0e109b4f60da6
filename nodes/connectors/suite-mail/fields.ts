import { FILE_CONTENT } from '../file-content';
import { choice, filledText, integer, list, object, outputOf, text } from '../../schema';

export const MESSAGE_ID = filledText('Id of the message.', '18c2a4f0b1d2e3f4', { maxLength: 200 });

const mailboxes = (description: string, least = 0) =>
  list(
    text('An address, or a name and an address.', 'Ada Lovelace <ada@example.com>', {
      minLength: 3,
      maxLength: 512,
    }),
    description,
    ['ada@example.com'],
    { minItems: least, maxItems: 100 },
  );

export const TO = mailboxes('Who gets it; with copies at most 100.', 1);

export const COPIES = {
  cc: mailboxes('Who gets a copy.'),
  bcc: mailboxes('Who gets a copy that the others do not see.'),
} as const;

export const SUBJECT = text('One line.', 'Order 4711 has shipped', { maxLength: 998 });

export const CONTENT = {
  text: text('The message without any layout.', 'Dear Ada,\n\nyour order has shipped.'),
  html: text('With a text too, readers choose.', '<p>Your order has <b>shipped</b>.</p>'),
  attachments: list(
    object(
      {
        filename: filledText('The name that readers see.', 'order.csv', { maxLength: 255 }),
        content: text('What the file holds, as text.', 'item,price'),
        content_base64: text('What the file holds, in base64, instead of the text.', 'aGVsbG8='),
        file: FILE_CONTENT.file,
        content_type: text('By the file name unless it says so.', 'text/csv', {
          pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
          maxLength: 255,
        }),
      },
      'A file.',
      { required: ['filename'] },
    ),
    '10 MiB in all.',
    [{ filename: 'order.csv', content: 'item,price\npen,2' }],
    { maxItems: 50 },
  ),
} as const;

export const SENDER = {
  from: text('One of the addresses of the account; its own unless it says so.', 'Orders <orders@example.com>', {
    maxLength: 512,
  }),
  reply_to: mailboxes('Where answers go.'),
} as const;

export const SENT = outputOf(
  {
    id: text('Id of the message.'),
    thread_id: text('Id of the conversation.'),
    label_ids: list(text('Id of a label.'), 'What it is labelled with.'),
  },
  ['id'],
);

export const LABEL_IDS = (description: string, sample: string) =>
  list(filledText('Id of a label.', sample, { maxLength: 200 }), description, [sample], {
    maxItems: 100,
  });

export const MESSAGE = outputOf(
  {
    id: text('Id of the message.'),
    thread_id: text('Id of the conversation.'),
    from: text('Who wrote it.'),
    to: text('Whom it was sent to.'),
    cc: text('Who got copies.'),
    subject: text('What it is about.'),
    date: text('When it came, as RFC 3339.'),
    snippet: text('A few words of it.'),
    text: text('What it says.'),
    html: text('The same with its layout.'),
    label_ids: list(text('Id of a label.'), 'What it is labelled with.'),
    headers: object({}, 'All headers, by lower-case name; of repeated ones the first.', { open: true }),
    attachments: list(
      object(
        {
          attachment_id: text('For reading it.'),
          filename: text('Its name.'),
          content_type: text('Its type.'),
          size: integer('In bytes.'),
        },
        'A file.',
        { open: true },
      ),
      'Files in it.',
    ),
  },
  ['id'],
);

export const LABEL = object(
  {
    id: text('Id of the label.'),
    name: text('Its name.'),
    type: choice(['system', 'user'], 'Whether the account made it.'),
  },
  'A label.',
  { open: true },
);
