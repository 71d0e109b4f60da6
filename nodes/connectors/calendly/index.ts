import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursor } from '../http/pages';
import { outputAt } from '../http/read';
import { codeAt, secondsInHeader, faultFrom } from '../http/error-text';
import { choice, filledText, outputOf, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, readAction, writeAction } from '../define';

const USER = {
  user: filledText('URI of the user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA'),
};
const EVENT = { event: filledText('UUID of the event: the last part of its URI.', 'GBGBDCAADAEDCRZ2') };
const URI = text('Name or URI.', 'https://api.calendly.com/scheduled_events/GBGBDCAADAEDCRZ2');
const NAME = text('Display name.', '15 minutes');
const MEETING = outputOf({
  uri: URI,
  name: NAME,
  status: text('`active` or `canceled`.', 'active'),
  start_time: text('Time in ISO 8601.', '2026-08-24T14:15:22Z'),
  end_time: text('Time in ISO 8601.', '2026-08-24T14:30:22Z'),
});
const pages = byCursor({ items: 'collection', cursor: 'pagination.next_page_token', parameter: 'page_token' });
const read = outputAt('resource');

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the user of the connection.', {
    output: outputOf({
      uri: text('URI of the user.', 'https://api.calendly.com/users/AAAAAAAAAAAAAAAA'),
      name: text('Display name.', 'Ada Lovelace'),
      email: text('Email of the user.', 'ada@example.com'),
    }),
    call: 'GET /users/me',
    read,
  }),
  readAction('list_event_types', 'Lists event types that people can book with a user.', {
    required: USER,
    item: outputOf({
      uri: URI,
      name: NAME,
      scheduling_url: text('URL of the booking page.', 'https://calendly.com/ada/15'),
    }),
    call: 'GET /event_types',
    query: { count: 100 },
    pages,
  }),
  readAction('list_meetings', 'Lists meetings of a user by start time.', {
    required: USER,
    optional: {
      status: choice(['active', 'canceled'], 'Filter by status.'),
      min_start_time: text('Time in ISO 8601 format.', '2026-08-01T00:00:00Z'),
      max_start_time: text('Time in ISO 8601 format.', '2026-09-01T00:00:00Z'),
      invitee_email: text('Email address of an invitee.', 'bob@example.com'),
    },
    item: MEETING,
    call: 'GET /scheduled_events',
    query: { count: 100, sort: 'start_time:asc' },
    pages,
  }),
  readAction('get_meeting', 'Returns a meeting.', {
    required: EVENT,
    output: MEETING,
    call: 'GET /scheduled_events/{event}',
    read,
  }),
  readAction('list_invitees', 'Lists invitees of a meeting with their answers.', {
    required: EVENT,
    item: outputOf({
      uri: URI,
      name: text('Name of the person.', 'Bob'),
      email: text('Email of the person.', 'bob@example.com'),
    }),
    call: 'GET /scheduled_events/{event}/invitees',
    query: { count: 100 },
    pages,
  }),
  writeAction('cancel_meeting', 'Cancels a meeting; the invitees are notified.', {
    required: EVENT,
    optional: { reason: text('Reason, shown to the invitees.', 'I am ill.', { maxLength: 10_000 }) },
    output: outputOf({ canceled_by: text('Name of the person who canceled.', 'Ada Lovelace') }),
    call: 'POST /scheduled_events/{event}/cancellation',
    read,
  }),
  writeAction('create_link', 'Creates a single-use booking link.', {
    required: {
      event_type: text('URI of the event type.', 'https://api.calendly.com/event_types/AAAAAAAAAAAAAAAA'),
    },
    output: outputOf({ booking_url: text('URL of the booking page.', 'https://calendly.com/d/abc-abc/15-minutes') }),
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
  description: 'List and cancel meetings; list event types and invitees.',
  category: 'Productivity',
  docs: 'https://developer.calendly.com/api-docs',

  fields: [secretField('token', 'Personal access token', 'Integrations > API and webhooks.', 'eyJraWQiOiIx.e30.abc')],
  base: 'https://api.calendly.com',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('details', 0, 'message'), messageAt('message')],
    code: codeAt('title'),
    retryAfterMs: secondsInHeader('x-ratelimit-reset'),
  }),
  connectionTest: 'get_me',
  actions,
});
