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
      description: 'Name or address of the server.',
      minLength: 1,
      maxLength: 253,
      examples: ['smtp.example.com'],
    },
    port: {
      type: 'integer',
      title: 'Port',
      description: '465, 587 or 25 by the security.',
      minimum: 1,
      maximum: 65_535,
    },
    security: {
      type: 'string',
      title: 'Security',
      description:
        '`tls` from the first byte, `starttls` after the greeting, `none`. On port 465 `tls`, else `starttls`, unless it says so.',
      enum: ['tls', 'starttls', 'none'],
    },
    user: {
      type: 'string',
      title: 'User name',
      description: 'Without one there is no login.',
      minLength: 1,
      maxLength: 512,
    },
    password: {
      type: 'string',
      title: 'Password',
      description: 'A secret, best as {{ secret.NAME }}.',
      minLength: 1,
      maxLength: 10_000,
    },
    ca: {
      type: 'string',
      title: 'Certificate authority',
      description: 'One to trust besides the well-known ones, in PEM.',
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
      description: 'The name that readers see.',
      minLength: 1,
      maxLength: 255,
    },
    content: { type: 'string', title: 'Text', description: 'What the file holds, as text.' },
    content_base64: { type: 'string', title: 'Bytes', description: 'What the file holds, in base64.' },
    content_type: {
      type: 'string',
      title: 'Type',
      description: 'By the file name unless it says so.',
      pattern: '^[\\w.+-]+/[\\w.+-]+(?:;[ \\w.=+"-]*)?$',
      maxLength: 255,
    },
    cid: {
      type: 'string',
      title: 'Content id',
      description: 'The HTML shows it as cid:<this>.',
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
    description: 'With a connection of your own; else the installation says whom its mails are from.',
    maxLength: 512,
    examples: ['Orders <orders@example.com>'],
  },
  subject: {
    type: 'string',
    title: 'Subject',
    description: 'One line.',
    maxLength: 998,
    examples: ['Order {{ trigger.body.id }} has shipped'],
  },
  text: {
    type: 'string',
    title: 'Text',
    description: 'The message without any layout.',
    examples: ['Dear Ada,\n\nyour order has shipped.'],
  },
  html: {
    type: 'string',
    title: 'HTML',
    description: 'With a text too, readers choose.',
    examples: ['<p>Your order has <b>shipped</b>.</p>'],
  },
  headers: {
    type: 'object',
    title: 'Headers',
    description: 'Further ones; those of addresses, subject, date and structure are set by the step.',
    additionalProperties: { type: 'string', maxLength: 2_000 },
    maxProperties: 50,
    default: {},
    examples: [{ 'List-Unsubscribe': '<https://example.com/unsubscribe>' }],
  },
  attachments: {
    type: 'array',
    title: 'Attachments',
    description: '10 MiB in all.',
    items: attachment,
    maxItems: 50,
    default: [],
    examples: [[{ filename: 'order.csv', content: 'item,price\npen,2' }]],
  },
  connection: {
    title: 'Mail server',
    description: "The installation's own unless it says so.",
    ...connection,
    examples: [{ host: 'smtp.example.com', user: 'orders', password: '{{ secret.SMTP_PASSWORD }}' }],
  },
  timeout: durationSchema('Time-out', 'For connecting and sending; 30 s unless it says so.', '20s'),
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
  description: 'Sends a message through a mail server (SMTP).',
  category: 'Communication',
  effect: 'write',
  // Whether the server has accepted the message is unknown. A retry would have the same Message-ID, but few servers check it.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['to', 'subject'], {
    anyOf: ['text', 'html'].map((key) => ({ type: 'object', properties: { [key]: true }, required: [key] })),
  }),
  output: objectSchema(
    {
      message_id: { type: 'string', title: 'Message-ID', description: 'The same in all attempts of a step.' },
      accepted: addresses('Accepted', 'Addresses that the server took.'),
      rejected: addresses('Rejected', 'Addresses that it refused.'),
      response: { type: 'string', title: 'Response', description: 'The last answer of the server.' },
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
