import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { choice, durationSchema, exactlyOneOf, filledText, integer, list, objectSchema, text } from '../../schema';

const mailboxes = (title: string, description: string): JsonSchema => ({
  title,
  description,
  anyOf: [
    { type: 'string', maxLength: 20_000 },
    { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 100 },
  ],
  examples: ['ada@example.com', ['Ada Lovelace <ada@example.com>', 'grace@example.com']],
});

const connection: JsonSchema = objectSchema(
  {
    host: filledText('Host name or IP address of the server.', 'smtp.example.com', { maxLength: 253 }),
    port: integer('Port. Default: 465, 587 or 25, by security.', { minimum: 1, maximum: 65_535 }),
    security: choice(
      ['tls', 'starttls', 'none'],
      '`tls` from the start, `starttls` after the greeting, or `none`. Default: `tls` on port 465, otherwise `starttls`.',
    ),
    user: filledText('User name. Without one there is no login.', { title: 'User name', maxLength: 512 }),
    password: filledText('A secret, such as {{ secret.NAME }}.', { maxLength: 10_000 }),
    ca: text('Additional certificate authority to trust, in PEM format.', {
      title: 'CA certificate',
      maxLength: 100_000,
    }),
  },
  ['host'],
);

const attachment: JsonSchema = objectSchema(
  {
    filename: filledText('File name for the recipient.', { title: 'File name', maxLength: 255 }),
    content: text('Content as text.', { title: 'Text' }),
    content_base64: text('Content in base64.', { title: 'Bytes' }),
    content_type: text('Media type. Default: by file name.', {
      title: 'Type',
      pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
      maxLength: 255,
    }),
    cid: text('Referenced in the HTML as cid:<this>.', { title: 'Content ID', pattern: '^[\\w.@-]{1,100}$' }),
  },
  ['filename'],
  exactlyOneOf('content', 'content_base64'),
);

const properties = {
  to: mailboxes('To', 'Addresses, in a list or separated by commas; 100 with cc and bcc.'),
  cc: mailboxes('Copy', 'Who gets a copy.'),
  bcc: mailboxes('Blind copy', 'Who gets a copy that the others do not see.'),
  reply_to: mailboxes('Reply to', 'Where answers go.'),
  from: text(
    'Sender. Required with your own connection; otherwise that of the installation.',
    'Orders <orders@example.com>',
    { maxLength: 512 },
  ),
  subject: text('Subject.', 'Order {{ trigger.body.id }} has shipped', { maxLength: 998 }),
  text: text('Text body.', 'Dear Ada,\n\nyour order has shipped.'),
  html: text('HTML body.', '<p>Your order has <b>shipped</b>.</p>'),
  headers: {
    type: 'object',
    title: 'Headers',
    description: 'Additional headers; those for addresses, subject, date and structure are set by the step.',
    additionalProperties: { type: 'string', maxLength: 2_000 },
    maxProperties: 50,
    default: {},
    examples: [{ 'List-Unsubscribe': '<https://example.com/unsubscribe>' }],
  },
  attachments: list(
    attachment,
    'Attachments, up to 10 MiB in total.',
    [{ filename: 'order.csv', content: 'item,price\npen,2' }],
    { maxItems: 50, default: [] },
  ),
  connection: {
    title: 'Mail server',
    description: 'Mail server. Default: that of the installation.',
    ...connection,
    examples: [{ host: 'smtp.example.com', user: 'orders', password: '{{ secret.SMTP_PASSWORD }}' }],
  },
  timeout: durationSchema('Time-out', 'For connecting and sending. Default: 30 s.', '20s'),
} as const;

const addresses = (title: string, description: string): JsonSchema => list({ type: 'string' }, description, { title });

export const emailSendNode = defineNode({
  type: 'email_send',
  title: 'Send an email',
  description: 'Sends an email through an SMTP server.',
  category: 'Communication',
  effect: 'write',
  // It is unknown whether the server accepted the message. A retry has the same Message-ID, but few servers check it.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['to', 'subject'], {
    anyOf: ['text', 'html'].map((key) => ({ type: 'object', properties: { [key]: true }, required: [key] })),
  }),
  output: objectSchema(
    {
      message_id: text('Message ID, the same in all attempts of a step.', { title: 'Message-ID' }),
      accepted: addresses('Accepted', 'Addresses that the server took.'),
      rejected: addresses('Rejected', 'Addresses that it refused.'),
      response: text('Last response of the server.'),
    },
    ['message_id', 'accepted', 'rejected', 'response'],
  ),
  tool: {
    name: 'email_send',
    description: 'Sends an email.',
    parameters: objectSchema(
      { to: properties.to, cc: properties.cc, subject: properties.subject, text: properties.text },
      ['to', 'subject', 'text'],
    ),
  },
  // Loaded at its first use: the client takes a tenth of a second, and most processes need none.
  run: async (ctx) => (require('./run') as typeof import('./run')).run(ctx),
});
