import type { JsonObject } from '../../../lib/json';
import { CASE_KEY } from '../node-case';
import type { CaseAnswer } from './connector-case';
import { casesOf, type Line } from './case-builders';

const { gives, fails, talks } = casesOf(
  { access_token: 'ya29.0123456789' },
  { authorization: 'Bearer ya29.0123456789' },
);

const ME = '/gmail/v1/users/me';
const SENT = { id: 'm9', threadId: 't1', labelIds: ['SENT'] };
const MESSAGE_OUTPUT = { id: 'm9', thread_id: 't1', label_ids: ['SENT'] };

/** A message of plain text as it goes to the provider: headers that the step says, then those that all have. */
const raw = (text: string, ...headers: string[]): string =>
  Buffer.from(
    [
      ...headers,
      'Date: Tue, 01 Jan 2030 00:00:00 +0000',
      'Content-Transfer-Encoding: 7bit',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      text,
      '',
    ].join('\r\n'),
  ).toString('base64url');

const header = (name: string, value: string) => ({ name, value });
const data = (text: string) => ({ data: Buffer.from(text).toString('base64url'), size: text.length });

const MESSAGE: JsonObject = {
  id: 'm1',
  threadId: 't1',
  labelIds: ['INBOX', 'UNREAD'],
  snippet: 'Where is',
  internalDate: '1893456000000',
  payload: {
    mimeType: 'multipart/mixed',
    headers: [
      header('From', 'Ada Lövelace <ada@example.com>'),
      header('To', 'orders@shop.example, Grace <grace@example.com>'),
      header('Cc', 'eve@example.com, ADA@example.com'),
      header('Subject', 'Order 4711'),
      header('Message-ID', '<one@example.com>'),
      header('References', '<zero@example.com>'),
      header('Received', 'by a'),
      header('Received', 'by b'),
    ],
    parts: [
      {
        mimeType: 'multipart/alternative',
        parts: [
          { mimeType: 'text/plain', filename: '', body: data('Where is my order?') },
          { mimeType: 'text/html', filename: '', body: data('<p>Where?</p>') },
        ],
      },
      { mimeType: 'application/pdf', filename: 'order.pdf', body: { attachmentId: 'a1', size: 12 } },
    ],
  },
};
const HEADERS = {
  from: 'Ada Lövelace <ada@example.com>',
  to: 'orders@shop.example, Grace <grace@example.com>',
  cc: 'eve@example.com, ADA@example.com',
  subject: 'Order 4711',
};
const READ = {
  id: 'm1',
  thread_id: 't1',
  label_ids: ['INBOX', 'UNREAD'],
  ...HEADERS,
  date: '2030-01-01T00:00:00.000Z',
  snippet: 'Where is',
  text: 'Where is my order?',
  html: '<p>Where?</p>',
  headers: { ...HEADERS, 'message-id': '<one@example.com>', references: '<zero@example.com>', received: 'by a' },
  attachments: [{ attachment_id: 'a1', filename: 'order.pdf', content_type: 'application/pdf', size: 12 }],
};

type Exchange = readonly [Line, CaseAnswer];

const ORIGINAL: Exchange = [
  [
    `GET ${ME}/messages/m1`,
    {
      query: {
        format: 'metadata',
        metadataHeaders: ['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Message-ID', 'References'],
      },
    },
  ],
  { json: MESSAGE },
];

const answered = (cc: string[]): Exchange => [
  [
    `POST ${ME}/messages/send`,
    {
      body: {
        raw: raw(
          'On its way.',
          'To: ada@example.com',
          ...cc,
          'In-Reply-To: <one@example.com>',
          'References: <zero@example.com> <one@example.com>',
          'Subject: Re: Order 4711',
        ),
        threadId: 't1',
      },
    },
  ],
  { json: SENT },
];

const mistake = (title: string, input: object, message: string) =>
  talks(
    ['send', `${title} is refused, and nothing is sent`],
    { to: ['ada@example.com'], subject: 'Hi', text: 'Hello', ...input },
    [],
    { failing: { code: 'invalid_config', message } },
  );

export const cases = [
  gives(
    ['send', 'a message goes in MIME, with an id of its sender; the Bcc header is sent, since the provider removes it'],
    {
      to: ['Ada Lövelace <ada@example.com>'],
      bcc: ['eve@example.com'],
      from: 'Orders <orders@shop.example>',
      subject: 'Größe',
      text: 'Hello',
    },
    [
      `POST ${ME}/messages/send`,
      {
        body: {
          raw: raw(
            'Hello',
            'From: Orders <orders@shop.example>',
            'To: =?UTF-8?Q?Ada_L=C3=B6velace?= <ada@example.com>',
            'Bcc: eve@example.com',
            'Subject: =?UTF-8?Q?Gr=C3=B6=C3=9Fe?=',
            `Message-ID: <${CASE_KEY}@shop.example>`,
          ),
        },
      },
    ],
    SENT,
    MESSAGE_OUTPUT,
  ),
  mistake('a line break in the subject', { subject: 'Hi\r\nBcc: eve@example.com' }, '"subject" has a line break'),
  mistake(
    'a line break in an address',
    { to: ['ada@example.com\r\nBcc: eve@example.com'] },
    '"to" must hold addresses',
  ),
  mistake('a line break in a name', { cc: ['Ada\r\nBcc: eve <ada@example.com>'] }, '"cc" must hold addresses'),
  mistake('a second sender', { from: 'a@example.com, b@example.com' }, '"from" must be one address'),
  mistake(
    'a line break in the name of a file',
    { attachments: [{ filename: 'a\r\nX-Evil: 1', content: '' }] },
    '"filename" has a line break',
  ),
  talks(['send', 'a message without words is refused'], { to: ['ada@example.com'], subject: 'Hi' }, [], {
    failing: { code: 'invalid_config', message: '"text" or "html" must say something' },
  }),
  talks(
    ['reply', 'an answer goes to the sender, and stays in the conversation'],
    { message_id: 'm1', text: 'On its way.' },
    [ORIGINAL, answered([])],
    { output: MESSAGE_OUTPUT },
  ),
  talks(
    ['reply', 'an answer to all goes to everybody once, and not to the account itself'],
    { message_id: 'm1', text: 'On its way.', to_all: true, cc: ['boss@shop.example'] },
    [
      ORIGINAL,
      [`GET ${ME}/profile`, { json: { emailAddress: 'Orders@shop.example' } }],
      answered(['Cc: grace@example.com, eve@example.com, boss@shop.example']),
    ],
    { output: MESSAGE_OUTPUT },
  ),
  talks(
    ['reply', 'to have asked in vain for the message is no harm: the step may be tried again'],
    { message_id: 'm1', text: 'On its way.' },
    [[ORIGINAL[0], { cut: true }]],
    { failing: { code: 'connector_connect', message: 'Gmail', retryable: true } },
  ),
  talks(
    ['reply', 'an answer whose result is lost has an unknown outcome: it is not sent again'],
    { message_id: 'm1', text: 'On its way.' },
    [ORIGINAL, [answered([])[0], { cut: true }]],
    { failing: { code: 'outcome_unknown', message: 'It may have been done, or not' } },
  ),
  talks(
    ['create_draft', 'a draft is kept in its conversation'],
    { to: ['ada@example.com'], subject: 'Hi', text: 'Hello', thread_id: 't1' },
    [
      [
        [
          `POST ${ME}/drafts`,
          { body: { message: { raw: raw('Hello', 'To: ada@example.com', 'Subject: Hi'), threadId: 't1' } } },
        ],
        { json: { id: 'd1', message: { id: 'm2', threadId: 't1' } } },
      ],
    ],
    { output: { id: 'd1', message_id: 'm2' } },
  ),
  talks(
    ['search', 'messages are found, and each is read'],
    { query: 'is:unread', label_ids: ['INBOX', 'STARRED'], detail: 'full', limit: 1 },
    [
      [
        `GET ${ME}/messages?maxResults=1&q=is:unread&labelIds=INBOX&labelIds=STARRED`,
        { json: { messages: [{ id: 'm1', threadId: 't1' }], nextPageToken: 'next' } },
      ],
      [`GET ${ME}/messages/m1?format=full`, { json: MESSAGE }],
    ],
    { output: { items: [READ], count: 1, more: true } },
  ),
  talks(
    ['search', 'their ids may be enough'],
    { detail: 'ids' },
    [
      [
        `GET ${ME}/messages?maxResults=10`,
        { json: { messages: [{ id: 'm1', threadId: 't1' }], resultSizeEstimate: 1 } },
      ],
    ],
    { output: { items: [{ id: 'm1', thread_id: 't1' }], count: 1, more: false } },
  ),
  talks(['search', 'nothing fits'], {}, [[`GET ${ME}/messages?maxResults=10`, { json: { resultSizeEstimate: 0 } }]], {
    output: { items: [], count: 0, more: false },
  }),
  gives(
    ['get', 'a message with its text, and what is attached'],
    { message_id: 'm1' },
    `GET ${ME}/messages/m1?format=full`,
    MESSAGE,
    READ,
  ),
  fails(
    ['get', 'an id cannot lead elsewhere'],
    { message_id: '../profile' },
    `GET ${ME}/messages/..%2Fprofile?format=full`,
    { status: 404, json: { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } } },
    { code: 'NOT_FOUND', message: 'Gmail answered 404: Requested entity was not found.' },
  ),
  gives(
    ['get_attachment', 'a file comes in base64'],
    { message_id: 'm1', attachment_id: 'a-1_x' },
    `GET ${ME}/messages/m1/attachments/a-1_x`,
    { size: 3, data: Buffer.from([251, 255, 0]).toString('base64url') },
    { content_base64: '+/8A', size: 3 },
  ),
  gives(['list_labels', 'labels of the mailbox'], {}, `GET ${ME}/labels`, {
    labels: [{ id: 'INBOX', name: 'INBOX', type: 'system' }],
  }),
  gives(
    ['modify_labels', 'a message is read, and gets a star'],
    { message_id: 'm1', add: ['STARRED'], remove: ['UNREAD'] },
    [`POST ${ME}/messages/m1/modify`, { body: { addLabelIds: ['STARRED'], removeLabelIds: ['UNREAD'] } }],
    SENT,
    MESSAGE_OUTPUT,
  ),
  gives(
    ['trash', 'a message goes into the trash'],
    { message_id: 'm1' },
    `POST ${ME}/messages/m1/trash`,
    SENT,
    MESSAGE_OUTPUT,
  ),
  gives(
    ['get_profile', 'the mailbox is looked at'],
    {},
    `GET ${ME}/profile`,
    { emailAddress: 'ada@example.com', messagesTotal: 5, threadsTotal: 3, historyId: '1' },
    { email: 'ada@example.com', messages: 5, threads: 3 },
  ),
  {
    ...talks(
      ['get_profile', 'a token that is refused is renewed, once'],
      {},
      [
        [`GET ${ME}/profile`, { status: 401, json: { error: { code: 401, message: 'Invalid Credentials' } } }],
        [
          [`GET ${ME}/profile`, { headers: { authorization: 'Bearer ya29.another' } }],
          { json: { emailAddress: 'ada@example.com' } },
        ],
      ],
      { output: { email: 'ada@example.com' } },
    ),
    renewed: { access_token: 'ya29.another' },
  },
];
