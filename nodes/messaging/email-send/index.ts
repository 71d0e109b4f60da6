import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { durationSchema, exactlyOneOf, objectSchema } from '../../schema';

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
    host: {
      type: 'string',
      title: 'Host',
      description: 'Host name or IP address of the server.',
      minLength: 1,
      maxLength: 253,
      examples: ['smtp.example.com'],
    },
    port: {
      type: 'integer',
      title: 'Port',
      description: 'Port. Default: 465, 587 or 25, by security.',
      minimum: 1,
      maximum: 65_535,
    },
    security: {
      type: 'string',
      title: 'Security',
      description:
        '`tls` from the start, `starttls` after the greeting, or `none`. Default: `tls` on port 465, otherwise `starttls`.',
      enum: ['tls', 'starttls', 'none'],
    },
    user: {
      type: 'string',
      title: 'User name',
      description: 'User name. Without one there is no login.',
      minLength: 1,
      maxLength: 512,
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'A secret, such as {{ secret.NAME }}.',
      minLength: 1,
      maxLength: 10_000,
    },
    ca: {
      type: 'string',
      title: 'CA certificate',
      description: 'Additional certificate authority to trust, in PEM format.',
      maxLength: 100_000,
    },
  },
  ['host'],
);

const attachment: JsonSchema = objectSchema(
  {
    filename: {
      type: 'string',
      title: 'File name',
      description: 'File name for the recipient.',
      minLength: 1,
      maxLength: 255,
    },
    content: { type: 'string', title: 'Text', description: 'Content as text.' },
    content_base64: { type: 'string', title: 'Bytes', description: 'Content in base64.' },
    content_type: {
      type: 'string',
      title: 'Type',
      description: 'Media type. Default: by file name.',
      pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
      maxLength: 255,
    },
    cid: {
      type: 'string',
      title: 'Content ID',
      description: 'Referenced in the HTML as cid:<this>.',
      pattern: '^[\\w.@-]{1,100}$',
    },
  },
  ['filename'],
  exactlyOneOf('content', 'content_base64'),
);

const properties = {
  to: mailboxes('To', 'Addresses, in a list or separated by commas; 100 with cc and bcc.'),
  cc: mailboxes('Copy', 'Who gets a copy.'),
  bcc: mailboxes('Blind copy', 'Who gets a copy that the others do not see.'),
  reply_to: mailboxes('Reply to', 'Where answers go.'),
  from: {
    type: 'string',
    title: 'From',
    description: 'Sender. Required with your own connection; otherwise that of the installation.',
    maxLength: 512,
    examples: ['Orders <orders@example.com>'],
  },
  subject: {
    type: 'string',
    title: 'Subject',
    description: 'Subject.',
    maxLength: 998,
    examples: ['Order {{ trigger.body.id }} has shipped'],
  },
  text: {
    type: 'string',
    title: 'Text',
    description: 'Text body.',
    examples: ['Dear Ada,\n\nyour order has shipped.'],
  },
  html: {
    type: 'string',
    title: 'HTML',
    description: 'HTML body.',
    examples: ['<p>Your order has <b>shipped</b>.</p>'],
  },
  headers: {
    type: 'object',
    title: 'Headers',
    description: 'Additional headers; those for addresses, subject, date and structure are set by the step.',
    additionalProperties: { type: 'string', maxLength: 2_000 },
    maxProperties: 50,
    default: {},
    examples: [{ 'List-Unsubscribe': '<https://example.com/unsubscribe>' }],
  },
  attachments: {
    type: 'array',
    title: 'Attachments',
    description: 'Attachments, up to 10 MiB in total.',
    items: attachment,
    maxItems: 50,
    default: [],
    examples: [[{ filename: 'order.csv', content: 'item,price\npen,2' }]],
  },
  connection: {
    title: 'Mail server',
    description: 'Mail server. Default: that of the installation.',
    ...connection,
    examples: [{ host: 'smtp.example.com', user: 'orders', password: '{{ secret.SMTP_PASSWORD }}' }],
  },
  timeout: durationSchema('Time-out', 'For connecting and sending. Default: 30 s.', '20s'),
} as const;

const addresses = (title: string, description: string): JsonSchema => ({
  type: 'array',
  title,
  description,
  items: { type: 'string' },
});

export const emailSendNode = defineNode({
  type: 'email_send',
  title: 'Send an email',
  description: 'Sends an email through an SMTP server.',
  category: 'Communication',
  effect: 'write',
  // Whether the server has accepted the message is unknown. A retry would have the same Message-ID, but few servers check it.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['to', 'subject'], {
    anyOf: ['text', 'html'].map((key) => ({ type: 'object', properties: { [key]: true }, required: [key] })),
  }),
  output: objectSchema(
    {
      message_id: {
        type: 'string',
        title: 'Message-ID',
        description: 'Message ID, the same in all attempts of a step.',
      },
      accepted: addresses('Accepted', 'Addresses that the server took.'),
      rejected: addresses('Rejected', 'Addresses that it refused.'),
      response: { type: 'string', title: 'Response', description: 'Last response of the server.' },
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
