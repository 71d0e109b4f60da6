import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, does, hidden } from '../define';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { inside } from '../http/read';
import { codeAt, secondsIn, worded } from '../http/error-text';
import { choice, outputOf, text } from '../schemas';

const USER = {
  user: text('User', 'The URI of a user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA', { minLength: 1 }),
};
const EVENT = { event: text('Meeting', 'The last part of its URI.', 'GBGBDCAADAEDCRZ2', { minLength: 1 }) };
const URI = text('URI', 'What it is called.', 'https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2');
const NAME = text('Name', 'As people read it.', '15 minutes');
const MEETING = outputOf({
  uri: URI,
  name: NAME,
  status: text('Status', '`active` or `canceled`.', 'active'),
  start_time: text('Begins', 'When.', '2026-08-24T14:15:22Z'),
  end_time: text('Ends', 'When.', '2026-08-24T14:30:22Z'),
});
const pages = byCursor({ items: 'collection', cursor: 'pagination.next_page_token', parameter: 'page_token' });
const read = inside('resource');

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The user that the connection acts for.', {
    output: outputOf({
      uri: text('URI', 'What other actions call the user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA'),
      name: text('Name', 'As people read it.', 'Ada Lovelace'),
      email: text('E-mail address', 'Of the user.', 'ada@example.com'),
    }),
    call: 'GET /users/me',
    read,
  }),
  asks('list_event_types', 'List kinds of meetings', 'Kinds of meetings that people can book with a user.', {
    needs: USER,
    item: outputOf({
      uri: URI,
      name: NAME,
      scheduling_url: text('Page', 'Where to book.', 'https://calendly.com/ada/15'),
    }),
    call: 'GET /event_types',
    query: { count: 100 },
    pages,
  }),
  asks('list_meetings', 'List meetings', 'Meetings of a user, in the order of time.', {
    needs: USER,
    may: {
      status: choice(['active', 'canceled'], 'Status', 'Only those.'),
      min_start_time: text('From', 'An instant.', '2026-08-01T00:00:00Z'),
      max_start_time: text('To', 'An instant.', '2026-09-01T00:00:00Z'),
      invitee_email: text('With', 'The e-mail address of an invitee.', 'bob@example.com'),
    },
    item: MEETING,
    call: 'GET /scheduled_events',
    query: { count: 100, sort: 'start_time:asc' },
    pages,
  }),
  asks('get_meeting', 'Get a meeting', 'One meeting.', {
    needs: EVENT,
    output: MEETING,
    call: 'GET /scheduled_events/{event}',
    read,
  }),
  asks('list_invitees', 'List who comes', 'Who is invited to a meeting, with the answers to its questions.', {
    needs: EVENT,
    item: outputOf({
      uri: URI,
      name: text('Name', 'Of the person.', 'Bob'),
      email: text('E-mail address', 'Of the person.', 'bob@example.com'),
    }),
    call: 'GET /scheduled_events/{event}/invitees',
    query: { count: 100 },
    pages,
  }),
  does('cancel_meeting', 'Cancel a meeting', 'Cancels a meeting; the invitees are notified.', {
    needs: EVENT,
    may: { reason: text('Reason', 'Shown to the invitees.', 'I am ill.', { maxLength: 10_000 }) },
    output: outputOf({ canceled_by: text('By', 'Who cancelled.', 'Ada Lovelace') }),
    call: 'POST /scheduled_events/{event}/cancellation',
    read,
  }),
  does('create_link', 'Make a link to book', 'Makes a link with which one meeting can be booked.', {
    needs: {
      event_type: text(
        'Kind',
        'The URI of a kind of meeting.',
        'https://api.calendly.com/event_types/AAAAAAAAAAAAAAAA',
      ),
    },
    output: outputOf({ booking_url: text('Link', 'Where to book.', 'https://calendly.com/d/abc-abc/15-minutes') }),
    request: ({ event_type }) => ({
      method: 'POST',
      url: '/scheduling_links',
      body: { max_event_count: 1, owner: event_type ?? null, owner_type: 'EventType' },
    }),
    read,
  }),
];

export const calendly: Connector = {
  name: 'calendly',
  title: 'Calendly',
  description: 'Kinds of meetings, meetings and who comes.',
  category: 'Productivity',
  docs: 'https://developer.calendly.com/api-docs',
  auth: {
    required: true,
    fields: [hidden('token', 'Personal access token', 'Integrations, API and webhooks.', 'eyJraWQiOiIx.e30.abc')],
  },
  base: () => 'https://api.calendly.com',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('details', 0, 'message'), messageAt('message')],
    code: codeAt('title'),
    wait: secondsIn('x-ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
