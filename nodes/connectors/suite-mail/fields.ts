import { FILE_CONTENT } from '../file-content';
import { choice, filledText, integer, list, object, outputOf, text } from '../../schema';

export const MESSAGE_ID = filledText('ID of the message.', '18c2a4f0b1d2e3f4', { maxLength: 200 });

const mailboxes = (description: string, least = 0) =>
  list(
    text('An address, optionally with a name.', 'Ada Lovelace <ada@example.com>', { minLength: 3, maxLength: 512 }),
    description,
    ['ada@example.com'],
    { minItems: least, maxItems: 100 },
  );

export const TO = mailboxes('Recipients; at most 100 with copies.', 1);

export const COPIES = {
  cc: mailboxes('Recipients of a copy.'),
  bcc: mailboxes('Recipients of a blind copy.'),
} as const;

export const SUBJECT = text('Subject.', 'Order 4711 has shipped', { maxLength: 998 });

export const CONTENT = {
  text: text('Text body.', 'Dear Ada,\n\nyour order has shipped.'),
  html: text('HTML body.', '<p>Your order has <b>shipped</b>.</p>'),
  attachments: list(
    object(
      {
        filename: filledText('File name.', 'order.csv', { maxLength: 255 }),
        content: text('Content as text.', 'item,price'),
        content_base64: text('Content in base64, instead of text.', 'aGVsbG8='),
        file: FILE_CONTENT.file,
        content_type: text('Media type. Default: by file name.', 'text/csv', {
          pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
          maxLength: 255,
        }),
      },
      'A file.',
      { required: ['filename'] },
    ),
    'Attachments, up to 10 MiB in total.',
    [{ filename: 'order.csv', content: 'item,price\npen,2' }],
    { maxItems: 50 },
  ),
} as const;

export const SENDER = {
  from: text('Sender: an address of the account. Default: the primary one.', 'Orders <orders@example.com>', {
    maxLength: 512,
  }),
  reply_to: mailboxes('Address for replies.'),
} as const;

export const SENT = outputOf(
  {
    id: text('ID of the message.'),
    thread_id: text('ID of the thread.'),
    label_ids: list(text('ID of a label.'), 'IDs of labels.'),
  },
  ['id'],
);

export const LABEL_IDS = (description: string, sample: string) =>
  list(filledText('ID of a label.', sample, { maxLength: 200 }), description, [sample], { maxItems: 100 });

export const MESSAGE = outputOf(
  {
    id: text('ID of the message.'),
    thread_id: text('ID of the thread.'),
    from: text('Sender.'),
    to: text('Recipients.'),
    cc: text('Recipients of a copy.'),
    subject: text('Subject.'),
    date: text('RFC 3339 timestamp.'),
    snippet: text('Beginning of the text.'),
    text: text('Text of the message.'),
    html: text('HTML body.'),
    label_ids: list(text('ID of a label.'), 'IDs of labels.'),
    headers: object({}, 'Headers by lower-case name; the first of repeated ones.', { open: true }),
    attachments: list(
      object(
        {
          attachment_id: text('ID for reading the attachment.'),
          filename: text('Name of the field.'),
          content_type: text('Media type.'),
          size: integer('Size in bytes.'),
        },
        'A file.',
        { open: true },
      ),
      'Attachments.',
    ),
  },
  ['id'],
);

export const LABEL = object(
  {
    id: text('ID of the label.'),
    name: text('Name of the field.'),
    type: choice(['system', 'user'], 'System label or user label.'),
  },
  'A label.',
  { open: true },
);
