import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import { CASE_KEY } from '../node-case';
import { casesOf, type Line } from './case-builders';

const { gives, pages, page, talks, fails } = casesOf(
  { access_token: 'ms-token' },
  { authorization: 'Bearer ms-token' },
);

const FIELDS =
  'id,conversationId,subject,from,toRecipients,ccRecipients,receivedDateTime,isRead,hasAttachments,bodyPreview,webLink,categories,importance';
const MESSAGE = { id: 'm1', subject: 'Order 4711', isRead: false };
const EVENT = { id: 'e1', subject: 'Review' };
const ITEM = { id: 'i1', name: 'orders.csv', size: 10 };
const address = (email: string) => ({ emailAddress: { address: email } });
const list = (...value: JsonObject[]) => ({ value });

const listed = (query: Record<string, string>): Line => [
  'GET /me/messages',
  { query: { $select: FIELDS, $top: '50', ...query } },
];

const mail = [
  gives(['get_me', 'returns the account'], {}, 'GET /me', { id: 'u1', displayName: 'Ada Lovelace' }),
  {
    ...talks(
      ['get_me', 'a token that is refused is renewed, once'],
      {},
      [
        [
          'GET /me',
          {
            status: 401,
            json: { error: { code: 'InvalidAuthenticationToken', message: 'Lifetime validation failed' } },
          },
        ],
        [['GET /me', { headers: { authorization: 'Bearer ms-another' } }], { json: { id: 'u1' } }],
      ],
      { output: { id: 'u1' } },
    ),
    renewed: { access_token: 'ms-another' },
  },
  fails(
    ['get_me', 'a missing permission is refused with the code of Graph'],
    {},
    'GET /me',
    { status: 403, json: { error: { code: 'ErrorAccessDenied', message: 'Access is denied' } } },
    { code: 'ErrorAccessDenied', message: 'Microsoft 365 answered 403: Access is denied' },
  ),
  fails(
    ['get_me', 'a throttled request is repeated after the time that Graph names'],
    {},
    'GET /me',
    {
      status: 429,
      headers: { 'retry-after': '7' },
      json: { error: { code: 'TooManyRequests', message: 'Please retry again later' } },
    },
    { code: 'TooManyRequests', message: 'Please retry again later', retryable: true, retryAfterMs: 7_000 },
  ),
  pages(
    ['list_messages', 'only the query of a link to the next page is used'],
    { unread: true, received_after: '2026-03-01T00:00:00Z', filter: "from/emailAddress/address eq 'a@b.c'" },
    [
      [
        listed({
          $orderby: 'receivedDateTime desc',
          $filter:
            "isRead eq false and receivedDateTime gt 2026-03-01T00:00:00Z and (from/emailAddress/address eq 'a@b.c')",
        }),
        { json: { ...list(MESSAGE), '@odata.nextLink': 'https://evil.example/v1.0/me/messages?$skip=50&$top=50' } },
      ],
      ['GET /me/messages?$skip=50&$top=50', { json: list({ ...MESSAGE, id: 'm2' }) }],
    ],
    [MESSAGE, { ...MESSAGE, id: 'm2' }],
  ),
  page(
    ['list_messages', 'a search has no order and no filter'],
    { folder: 'inbox', search: 'the "invoice"' },
    ['GET /me/mailFolders/inbox/messages', { query: { $select: FIELDS, $top: '50', $search: '"the \\"invoice\\""' } }],
    list(MESSAGE),
    [MESSAGE],
  ),
  gives(
    ['get_message', 'the text is asked for as plain text'],
    { message_id: 'm/1' },
    ['GET /me/messages/m%2F1', { headers: { prefer: 'outlook.body-content-type="text"' } }],
    { ...MESSAGE, body: { contentType: 'text', content: 'It has shipped.' } },
  ),
  gives(
    ['send_mail', 'a message with recipients, a copy and a file'],
    {
      to: ['ada@example.com'],
      cc: ['bob@example.com'],
      subject: 'Order 4711',
      body: '<b>Shipped</b>',
      body_type: 'html',
      attachments: [{ name: 'a.csv', content_type: 'text/csv', content_base64: 'aWQ=' }],
    },
    [
      'POST /me/sendMail',
      {
        body: {
          message: {
            subject: 'Order 4711',
            body: { contentType: 'HTML', content: '<b>Shipped</b>' },
            toRecipients: [address('ada@example.com')],
            ccRecipients: [address('bob@example.com')],
            attachments: [
              {
                '@odata.type': '#microsoft.graph.fileAttachment',
                name: 'a.csv',
                contentType: 'text/csv',
                contentBytes: 'aWQ=',
              },
            ],
          },
          saveToSentItems: true,
        },
      },
    ],
    null,
    {},
  ),
  gives(
    ['create_draft', 'a draft'],
    { subject: 'Order 4711', importance: 'high' },
    ['POST /me/messages', { body: { subject: 'Order 4711', importance: 'high' } }],
    MESSAGE,
  ),
  gives(['send_draft', 'a draft is sent'], { message_id: 'm1' }, 'POST /me/messages/m1/send', null, {}),
  gives(
    ['reply', 'an answer to all'],
    { message_id: 'm1', comment: 'Thanks', to_all: true },
    ['POST /me/messages/m1/replyAll', { body: { comment: 'Thanks' } }],
    null,
    {},
  ),
  gives(
    ['forward', 'a message goes on'],
    { message_id: 'm1', to: ['bob@example.com'] },
    ['POST /me/messages/m1/forward', { body: { comment: '', toRecipients: [address('bob@example.com')] } }],
    null,
    {},
  ),
  gives(
    ['update_message', 'a message is marked'],
    { message_id: 'm1', read: true, categories: ['Orders'] },
    ['PATCH /me/messages/m1', { body: { isRead: true, categories: ['Orders'] } }],
    { ...MESSAGE, isRead: true },
  ),
  gives(
    ['move_message', 'into a folder'],
    { message_id: 'm1', folder: 'archive' },
    ['POST /me/messages/m1/move', { body: { destinationId: 'archive' } }],
    { ...MESSAGE, id: 'm9' },
  ),
  gives(['delete_message', 'a message goes'], { message_id: 'm1' }, 'DELETE /me/messages/m1', null, { deleted: true }),
  page(['list_mail_folders', 'folders'], {}, 'GET /me/mailFolders?$top=100', list({ id: 'f1', displayName: 'Inbox' }), [
    { id: 'f1', displayName: 'Inbox' },
  ]),
  page(
    ['list_attachments', 'files of a message'],
    { message_id: 'm1' },
    'GET /me/messages/m1/attachments?$select=id,name,contentType,size,isInline',
    list({ id: 'a1', name: 'a.csv', size: 2 }),
    [{ id: 'a1', name: 'a.csv', size: 2 }],
  ),
];

const calendar = [
  page(['list_calendars', 'calendars'], {}, 'GET /me/calendars?$top=100', list({ id: 'c1', name: 'Calendar' }), [
    { id: 'c1', name: 'Calendar' },
  ]),
  page(
    ['list_events', 'events of a range, in a time zone'],
    { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', calendar_id: 'c1', timezone: 'Europe/Berlin' },
    [
      'GET /me/calendars/c1/calendarView',
      {
        query: {
          startDateTime: '2026-03-01T00:00:00Z',
          endDateTime: '2026-03-02T00:00:00Z',
          $orderby: 'start/dateTime',
          $top: '100',
        },
        headers: { prefer: 'outlook.timezone="Europe/Berlin"' },
      },
    ],
    list(EVENT),
    [EVENT],
  ),
  gives(
    ['get_event', 'a time zone cannot end the text of the header'],
    { event_id: 'e1', timezone: 'UTC", x="1' },
    ['GET /me/events/e1', { headers: { prefer: 'outlook.timezone="UTC x1"' } }],
    EVENT,
  ),
  gives(
    ['create_event', 'the transaction is that of the step, so that a repeat creates no second event'],
    {
      subject: 'Review',
      start: '2026-03-01T10:00',
      end: '2026-03-01T11:00',
      timezone: 'Europe/Berlin',
      attendees: ['ada@example.com'],
      location: 'Room 5',
      meeting: true,
    },
    [
      'POST /me/calendar/events',
      {
        body: {
          subject: 'Review',
          start: { dateTime: '2026-03-01T10:00', timeZone: 'Europe/Berlin' },
          end: { dateTime: '2026-03-01T11:00', timeZone: 'Europe/Berlin' },
          location: { displayName: 'Room 5' },
          attendees: [{ ...address('ada@example.com'), type: 'required' }],
          transactionId: createHash('sha256').update(CASE_KEY).digest('hex').slice(0, 32),
          isOnlineMeeting: true,
          onlineMeetingProvider: 'teamsForBusiness',
        },
      },
    ],
    EVENT,
  ),
  gives(
    ['update_event', 'given fields alone'],
    { event_id: 'e1', show_as: 'free', body: 'Agenda' },
    ['PATCH /me/events/e1', { body: { showAs: 'free', body: { contentType: 'HTML', content: 'Agenda' } } }],
    EVENT,
  ),
  gives(['delete_event', 'an event goes'], { event_id: 'e1' }, 'DELETE /me/events/e1', null, { deleted: true }),
  gives(
    ['find_busy_times', 'of people'],
    { emails: ['ada@example.com'], from: '2026-03-01T08:00', to: '2026-03-01T18:00' },
    [
      'POST /me/calendar/getSchedule',
      {
        headers: { prefer: 'outlook.timezone="UTC"' },
        body: {
          schedules: ['ada@example.com'],
          startTime: { dateTime: '2026-03-01T08:00', timeZone: 'UTC' },
          endTime: { dateTime: '2026-03-01T18:00', timeZone: 'UTC' },
          availabilityViewInterval: 30,
        },
      },
    ],
    { value: [{ scheduleId: 'ada@example.com', availabilityView: '0022' }] },
  ),
];

const files = [
  page(
    ['list_folder', 'of a drive of a site'],
    { drive_id: 'b!1', folder_id: 'p1' },
    'GET /drives/b!1/items/p1/children?$top=200',
    list(ITEM),
    [ITEM],
  ),
  page(
    ['search_files', 'quotes in the search are doubled'],
    { query: "Ada's orders" },
    "GET /me/drive/root/search(q='Ada''s%20orders')?$top=100",
    list(ITEM),
    [ITEM],
  ),
  gives(
    ['get_file', 'by its path'],
    { path: 'Invoices/4711 ü.pdf' },
    'GET /me/drive/root:/Invoices/4711%20%C3%BC.pdf',
    ITEM,
  ),
  talks(
    ['download_file', 'the content comes from the address that Graph names, without the token'],
    { item_id: 'i1', as: 'text' },
    [
      [
        'GET /me/drive/items/i1',
        {
          json: {
            ...ITEM,
            file: { mimeType: 'text/csv' },
            '@microsoft.graph.downloadUrl': '{{server}}/download/x?t=1',
          },
        },
      ],
      [['GET /download/x?t=1', { headers: { authorization: null } }], { text: 'item,price' }],
    ],
    { output: { content: 'item,price', content_type: 'text/csv', size: 10 } },
  ),
  talks(
    ['download_file', 'a folder has no content'],
    { item_id: 'i2' },
    [['GET /me/drive/items/i2', { json: { id: 'i2', folder: { childCount: 1 } } }]],
    { failing: { code: 'invalid_config', message: '"item_id" is a folder, or has no content' } },
  ),
  gives(
    ['upload_file', 'into a folder by its path'],
    { name: 'orders.csv', content: 'item,price', content_type: 'text/csv', folder_path: '/Invoices/2026/' },
    [
      'PUT /me/drive/items/root:/Invoices/2026/orders.csv:/content',
      { headers: { 'content-type': 'text/csv' }, body: 'item,price' },
    ],
    ITEM,
  ),
  gives(
    ['create_folder', 'a folder'],
    { name: 'Invoices', on_conflict: 'rename' },
    [
      'POST /me/drive/items/root/children',
      { body: { name: 'Invoices', folder: {}, '@microsoft.graph.conflictBehavior': 'rename' } },
    ],
    { id: 'p1', name: 'Invoices' },
  ),
  gives(
    ['move_file', 'to another folder and name'],
    { item_id: 'i1', folder_id: 'p2', name: 'old.csv' },
    ['PATCH /me/drive/items/i1', { body: { name: 'old.csv', parentReference: { id: 'p2' } } }],
    ITEM,
  ),
  gives(
    ['share_file', 'by a link'],
    { item_id: 'i1' },
    ['POST /me/drive/items/i1/createLink', { body: { type: 'view', scope: 'organization' } }],
    { id: 'l1', link: { webUrl: 'https://contoso.sharepoint.com/x', type: 'view' } },
  ),
  gives(['delete_file', 'a file goes'], { item_id: 'i1' }, 'DELETE /me/drive/items/i1', null, { deleted: true }),
];

const BOOK = { item_id: 'i1' };
const RANGE = { address: 'Sheet1!A1:B2', values: [['item', 'price']], rowCount: 1, columnCount: 2 };
const RANGE_QUERY = { $select: 'address,values,rowCount,columnCount' };

const excel = [
  page(
    ['list_sheets', 'worksheets'],
    BOOK,
    'GET /me/drive/items/i1/workbook/worksheets',
    list({ id: 's1', name: 'A' }),
    [{ id: 's1', name: 'A' }],
  ),
  gives(
    ['read_range', 'a range of a sheet'],
    { ...BOOK, sheet: 'My sheet', range: 'A1:B2' },
    ["GET /me/drive/items/i1/workbook/worksheets/My%20sheet/range(address='A1%3AB2')", { query: RANGE_QUERY }],
    RANGE,
  ),
  gives(
    ['read_range', 'the cells in use'],
    { ...BOOK, sheet: 's1' },
    ['GET /me/drive/items/i1/workbook/worksheets/s1/usedRange(valuesOnly=true)', { query: RANGE_QUERY }],
    RANGE,
  ),
  gives(
    ['write_range', 'cells'],
    { ...BOOK, sheet: 's1', range: 'A1:B1', values: [['pen', 2]] },
    [
      "PATCH /me/drive/items/i1/workbook/worksheets/s1/range(address='A1%3AB1')",
      { query: RANGE_QUERY, body: { values: [['pen', 2]] } },
    ],
    RANGE,
  ),
  page(
    ['list_tables', 'tables'],
    BOOK,
    'GET /me/drive/items/i1/workbook/tables?$select=id,name',
    list({ id: 't1', name: 'Orders' }),
    [{ id: 't1', name: 'Orders' }],
  ),
  page(
    ['list_rows', 'rows of a table'],
    { ...BOOK, table: 'Orders' },
    'GET /me/drive/items/i1/workbook/tables/Orders/rows?$top=500',
    list({ index: 0, values: [['pen', 2]] }),
    [{ index: 0, values: [['pen', 2]] }],
  ),
  gives(
    ['add_rows', 'at the end of a table'],
    { ...BOOK, table: 'Orders', values: [['pen', 2]] },
    ['POST /me/drive/items/i1/workbook/tables/Orders/rows', { body: { index: null, values: [['pen', 2]] } }],
    { index: 3 },
  ),
];

const teams = [
  page(['list_teams', 'teams'], {}, 'GET /me/joinedTeams', list({ id: 't1', displayName: 'Sales' }), [
    { id: 't1', displayName: 'Sales' },
  ]),
  page(
    ['list_channels', 'channels of a team'],
    { team_id: 't1' },
    'GET /teams/t1/channels',
    list({ id: 'c1', displayName: 'General' }),
    [{ id: 'c1', displayName: 'General' }],
  ),
  gives(
    ['send_channel_message', 'a message'],
    { team_id: 't1', channel_id: '19:x@thread.tacv2', content: '<b>Shipped</b>', format: 'html' },
    [
      'POST /teams/t1/channels/19%3Ax%40thread.tacv2/messages',
      { body: { body: { contentType: 'html', content: '<b>Shipped</b>' } } },
    ],
    { id: 'm1' },
  ),
  page(['list_chats', 'chats'], {}, 'GET /me/chats?$top=50', list({ id: 'c1', chatType: 'group' }), [
    { id: 'c1', chatType: 'group' },
  ]),
  gives(
    ['send_chat_message', 'a message'],
    { chat_id: 'c1', content: 'Shipped' },
    ['POST /chats/c1/messages', { body: { body: { contentType: 'text', content: 'Shipped' } } }],
    { id: 'm1' },
  ),
];

export const cases = [...mail, ...calendar, ...files, ...excel, ...teams];
