import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, readAction, writeAction } from '../define';

const USER = {
  user: filledText('The URI of a user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA'),
};
const EVENT = { event: filledText('The last part of its URI.', 'GBGBDCAADAEDCRZ2') };
const URI = text('What it is called.', 'https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2');
const NAME = text('As people read it.', '15 minutes');
const MEETING = outputOf({
  uri: URI,
  name: NAME,
  status: text('`active` or `canceled`.', 'active'),
  start_time: text('When.', '2026-08-24T14:15:22Z'),
  end_time: text('When.', '2026-08-24T14:30:22Z'),
});
const pages = byCursor({ items: 'collection', cursor: 'pagination.next_page_token', parameter: 'page_token' });
const read = outputAt('resource');

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The user that the connection acts for.', {
    output: outputOf({
      uri: text('What other actions call the user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA'),
      name: text('As people read it.', 'Ada Lovelace'),
      email: text('Of the user.', 'ada@example.com'),
    }),
    call: 'GET /users/me',
    read,
  }),
  readAction('list_event_types', 'Kinds of meetings that people can book with a user.', {
    required: USER,
    item: outputOf({
      uri: URI,
      name: NAME,
      scheduling_url: text('Where to book.', 'https://calendly.com/ada/15'),
    }),
    call: 'GET /event_types',
    query: { count: 100 },
    pages,
  }),
  readAction('list_meetings', 'Meetings of a user, in the order of time.', {
    required: USER,
    optional: {
      status: choice(['active', 'canceled'], 'Only those.'),
      min_start_time: text('An instant.', '2026-08-01T00:00:00Z'),
      max_start_time: text('An instant.', '2026-09-01T00:00:00Z'),
      invitee_email: text('The e-mail address of an invitee.', 'bob@example.com'),
    },
    item: MEETING,
    call: 'GET /scheduled_events',
    query: { count: 100, sort: 'start_time:asc' },
    pages,
  }),
  readAction('get_meeting', 'One meeting.', {
    required: EVENT,
    output: MEETING,
    call: 'GET /scheduled_events/{event}',
    read,
  }),
  readAction('list_invitees', 'Who is invited to a meeting, with the answers to its questions.', {
    required: EVENT,
    item: outputOf({
      uri: URI,
      name: text('Of the person.', 'Bob'),
      email: text('Of the person.', 'bob@example.com'),
    }),
    call: 'GET /scheduled_events/{event}/invitees',
    query: { count: 100 },
    pages,
  }),
  writeAction('cancel_meeting', 'Cancels a meeting; the invitees are notified.', {
    required: EVENT,
    optional: { reason: text('Shown to the invitees.', 'I am ill.', { maxLength: 10_000 }) },
    output: outputOf({ canceled_by: text('Who cancelled.', 'Ada Lovelace') }),
    call: 'POST /scheduled_events/{event}/cancellation',
    read,
  }),
  writeAction('create_link', 'Makes a link with which one meeting can be booked.', {
    required: {
      event_type: text('The URI of a kind of meeting.', 'https://api.calendly.com/event_types/AAAAAAAAAAAAAAAA'),
    },
    output: outputOf({ booking_url: text('Where to book.', 'https://calendly.com/d/abc-abc/15-minutes') }),
    request: ({ event_type }) => ({
      method: 'POST',
      url: '/scheduling_links',
      body: { max_event_count: 1, owner: event_type ?? null, owner_type: 'EventType' },
    }),
    read,
  }),
];

export const calendly = defineConnector({
  name: 'calendly',
  title: 'Calendly',
  description: 'Kinds of meetings, meetings and who comes.',
  category: 'Productivity',
  docs: 'https://developer.calendly.com/api-docs',

  fields: [secretField('token', 'Personal access token', 'Integrations, API and webhooks.', 'eyJraWQiOiIx.e30.abc')],
  base: 'https://api.calendly.com',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('details', 0, 'message'), messageAt('message')],
    code: codeAt('title'),
    retryAfterMs: secondsInHeader('x-ratelimit-reset'),
  }),
  probe: 'get_me',
  actions,
});
