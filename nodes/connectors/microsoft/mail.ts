import type { Json, JsonObject } from '../../../lib/json';
import type { ConnectorRequest, HttpAction } from '../contract';
import { choice, filledText, flag, integer, list, object, outputOf, record, text } from '../../schema';
import { NO_OUTPUT, idempotentWrite, readAction, writeAction } from '../define';
import { urlPath } from '../http/path';
import { textAt, withoutUndefined } from '../values';
import { DELETED, EMAILS, graphPages, idField, recipients } from './graph';

const MESSAGE_ID = idField('ID of the message.', 'AAMkAGI2THVSAAA=');
const FOLDER = idField('ID of a folder, or a name such as `inbox`, `sentitems`, `archive`.', 'inbox');
const FIELDS =
  'id,conversationId,subject,from,toRecipients,ccRecipients,receivedDateTime,isRead,hasAttachments,bodyPreview,webLink,categories,importance';
const PLAIN_TEXT = { prefer: 'outlook.body-content-type="text"' };

const MESSAGE = outputOf(
  {
    id: text('ID of the message.'),
    conversationId: text('ID of the conversation.'),
    subject: text('Subject.'),
    from: record('Sender: `emailAddress` with `name` and `address`.'),
    toRecipients: list(object({}, 'As `from`.', { open: true }), 'Recipients.'),
    receivedDateTime: text('Time of receipt.', '2026-03-01T10:00:00Z'),
    isRead: flag('Whether it was read.'),
    hasAttachments: flag('Whether it has attachments.'),
    bodyPreview: text('The first 255 characters.'),
    webLink: text('URL in the web app.'),
  },
  ['id'],
);

const CONTENT = {
  subject: text('Subject.', 'Order 4711', { maxLength: 1_000 }),
  body: text('Text of the message.', 'It has shipped.', { maxLength: 1_000_000 }),
  body_type: choice(['text', 'html'], 'Format of the text.', { default: 'text' }),
  to: EMAILS('Recipients.'),
  cc: EMAILS('Recipients of a copy.'),
  bcc: EMAILS('Recipients of a copy that others do not see.'),
  reply_to: EMAILS('Addresses for replies.'),
  importance: choice(['low', 'normal', 'high'], 'Importance.'),
  categories: list(filledText('A category.', 'Orders', { maxLength: 255 }), 'Categories.', ['Orders'], {
    maxItems: 25,
  }),
};

const ATTACHMENTS = list(
  object(
    {
      name: filledText('Name of the file.', 'order.csv', { maxLength: 255 }),
      content_type: text('Media type.', 'text/csv', { maxLength: 255 }),
      content_base64: filledText('Content in base64.', 'aWQsbg==', { maxLength: 4_194_304 }),
    },
    'A file.',
    { required: ['name', 'content_base64'] },
  ),
  'Files of at most 3 MB together.',
  [{ name: 'order.csv', content_type: 'text/csv', content_base64: 'aWQsbg==' }],
  { maxItems: 20 },
);

const attachmentOf = (file: Json): JsonObject =>
  withoutUndefined({
    '@odata.type': '#microsoft.graph.fileAttachment',
    name: textAt(file, 'name'),
    contentType: textAt(file, 'content_type'),
    contentBytes: textAt(file, 'content_base64'),
  });

const messageOf = (input: JsonObject): JsonObject =>
  withoutUndefined({
    subject: input.subject,
    body:
      input.body === undefined
        ? undefined
        : { contentType: input.body_type === 'html' ? 'HTML' : 'Text', content: input.body },
    toRecipients: recipients(input.to),
    ccRecipients: recipients(input.cc),
    bccRecipients: recipients(input.bcc),
    replyTo: recipients(input.reply_to),
    importance: input.importance,
    categories: input.categories,
    attachments: Array.isArray(input.attachments) ? input.attachments.map(attachmentOf) : undefined,
  });

const NO_MESSAGE = { ...NO_OUTPUT };

function searchOf(input: JsonObject): ConnectorRequest {
  const search = textAt(input, 'search');
  const folder = textAt(input, 'folder');
  const filters = [
    ...(input.unread === true ? ['isRead eq false'] : []),
    ...(typeof input.received_after === 'string' ? [`receivedDateTime gt ${input.received_after}`] : []),
    ...(typeof input.filter === 'string' ? [`(${input.filter})`] : []),
  ];
  return {
    method: 'GET',
    url: folder === undefined ? '/me/messages' : urlPath`/me/mailFolders/${folder}/messages`,
    query: {
      $select: FIELDS,
      $top: 50,
      // Graph refuses an order and a filter together with a search.
      ...(search === undefined
        ? { $orderby: 'receivedDateTime desc', $filter: filters.length === 0 ? undefined : filters.join(' and ') }
        : { $search: `"${search.replaceAll(/["\\]/g, '\\$&')}"` }),
    },
  };
}

/** Outlook. */
export const mail: readonly HttpAction[] = [
  readAction(
    'list_messages',
    'Lists messages of the mailbox or of a folder, newest first; a search sorts by relevance.',
    {
      optional: {
        folder: FOLDER,
        search: filledText('Search terms; `unread`, `received_after` and `filter` do not apply to it.', 'invoice', {
          maxLength: 500,
        }),
        unread: flag('Only messages that were not read.', { default: false }),
        received_after: text('Only messages received after this time.', '2026-03-01T00:00:00Z', {
          pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?Z$',
        }),
        filter: filledText(
          'A filter of OData, added to the others.',
          "from/emailAddress/address eq 'ada@example.com'",
          {
            maxLength: 2_000,
          },
        ),
      },
      item: MESSAGE,
      request: searchOf,
      pages: graphPages,
    },
  ),
  readAction('get_message', 'Returns a message with its text.', {
    required: { message_id: MESSAGE_ID },
    optional: { body_type: choice(['text', 'html'], 'Format of the text.', { default: 'text' }) },
    output: MESSAGE,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/me/messages/${input.message_id}`,
      ...(input.body_type === 'html' ? {} : { headers: PLAIN_TEXT }),
    }),
  }),
  writeAction('send_mail', 'Sends a message.', {
    required: { to: CONTENT.to, subject: CONTENT.subject, body: CONTENT.body },
    optional: {
      body_type: CONTENT.body_type,
      cc: CONTENT.cc,
      bcc: CONTENT.bcc,
      reply_to: CONTENT.reply_to,
      importance: CONTENT.importance,
      attachments: ATTACHMENTS,
      save_to_sent: flag('Keeps it in the folder of sent messages.', { default: true }),
    },
    ...NO_MESSAGE,
    request: (input) => ({
      method: 'POST',
      url: '/me/sendMail',
      body: { message: messageOf(input), saveToSentItems: input.save_to_sent !== false },
    }),
  }),
  writeAction('create_draft', 'Creates a draft.', {
    optional: { ...CONTENT, attachments: ATTACHMENTS },
    output: MESSAGE,
    request: (input) => ({ method: 'POST', url: '/me/messages', body: messageOf(input) }),
  }),
  writeAction('send_draft', 'Sends a draft.', {
    required: { message_id: MESSAGE_ID },
    ...NO_MESSAGE,
    call: 'POST /me/messages/{message_id}/send',
  }),
  writeAction('reply', 'Answers a message.', {
    required: { message_id: MESSAGE_ID, comment: text('Text above the quoted message.', 'Thank you.') },
    optional: { to_all: flag('Answers all recipients.', { default: false }) },
    ...NO_MESSAGE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/me/messages/${input.message_id}` + (input.to_all === true ? '/replyAll' : '/reply'),
      body: { comment: input.comment ?? '' },
    }),
  }),
  writeAction('forward', 'Forwards a message.', {
    required: { message_id: MESSAGE_ID, to: CONTENT.to },
    optional: { comment: text('Text above the message.', 'For your information.') },
    ...NO_MESSAGE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/me/messages/${input.message_id}/forward`,
      body: { comment: input.comment ?? '', toRecipients: recipients(input.to) ?? [] },
    }),
  }),
  idempotentWrite('update_message', 'Marks a message as read or unread, or changes its categories and importance.', {
    required: { message_id: MESSAGE_ID },
    optional: {
      read: flag('Whether it was read.'),
      categories: CONTENT.categories,
      importance: CONTENT.importance,
    },
    output: MESSAGE,
    request: (input) => ({
      method: 'PATCH',
      url: urlPath`/me/messages/${input.message_id}`,
      body: withoutUndefined({ isRead: input.read, categories: input.categories, importance: input.importance }),
    }),
  }),
  writeAction('move_message', 'Moves a message to a folder; the message gets another ID.', {
    required: { message_id: MESSAGE_ID, folder: FOLDER },
    output: MESSAGE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/me/messages/${input.message_id}/move`,
      body: { destinationId: input.folder ?? '' },
    }),
  }),
  idempotentWrite('delete_message', 'Moves a message to the deleted items.', {
    required: { message_id: MESSAGE_ID },
    ...DELETED,
    call: 'DELETE /me/messages/{message_id}',
  }),
  readAction('list_mail_folders', 'Lists the folders of the mailbox.', {
    item: outputOf(
      {
        id: text('ID of the folder.'),
        displayName: text('Name.'),
        unreadItemCount: integer('Number of messages that were not read.'),
        totalItemCount: integer('Number of messages.'),
      },
      ['id'],
    ),
    call: 'GET /me/mailFolders',
    query: { $top: 100 },
    pages: graphPages,
  }),
  readAction('list_attachments', 'Lists the attachments of a message, without their content.', {
    required: { message_id: MESSAGE_ID },
    item: outputOf(
      {
        id: text('ID of the attachment.'),
        name: text('Name of the file.'),
        contentType: text('Media type.'),
        size: integer('Size in bytes.'),
      },
      ['id'],
    ),
    call: 'GET /me/messages/{message_id}/attachments',
    query: { $select: 'id,name,contentType,size,isInline' },
    pages: graphPages,
  }),
];
