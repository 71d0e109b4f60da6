import { createHash } from 'node:crypto';
import { CASE_KEY } from '../node-case';
import { casesOf } from './case-builders';

const { gives, pages, fails, talks, page } = casesOf(
  { access_token: 'ya29.0123456789' },
  { authorization: 'Bearer ya29.0123456789' },
);

/** Of the step's own key: the same in every attempt. */
const ID = createHash('sha256').update(CASE_KEY).digest('hex').slice(0, 40);

const EVENT = { id: 'abc123', status: 'confirmed', summary: 'Review', htmlLink: 'https://calendar.example/abc123' };
const TIMES = { start: '2026-03-01T10:00', end: '2026-03-01T11:00:00', timezone: 'Europe/Berlin' };
const CREATED = {
  id: ID,
  summary: 'Review',
  start: { dateTime: '2026-03-01T10:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-03-01T11:00:00', timeZone: 'Europe/Berlin' },
};
const CREATE = ['POST /calendars/primary/events?sendUpdates=none', { body: CREATED }] as const;

export const cases = [
  gives(
    ['create_event', 'an event is created, with guests and a meeting'],
    {
      calendar_id: 'team@group.calendar.example',
      summary: 'Fair',
      start: '2026-03-01',
      end: '2026-03-03',
      attendees: ['ada@example.com'],
      show_as: 'free',
      meeting: true,
      send_updates: 'all',
    },
    [
      'POST /calendars/team%40group.calendar.example/events?sendUpdates=all&conferenceDataVersion=1',
      {
        body: {
          id: ID,
          summary: 'Fair',
          start: { date: '2026-03-01' },
          end: { date: '2026-03-03' },
          attendees: [{ email: 'ada@example.com' }],
          transparency: 'transparent',
          conferenceData: { createRequest: { requestId: ID, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
        },
      },
    ],
    EVENT,
  ),
  talks(
    ['create_event', 'one that an earlier attempt has created is found, and not created again'],
    { summary: 'Review', ...TIMES },
    [
      [
        CREATE,
        {
          status: 409,
          json: {
            error: {
              code: 409,
              message: 'The requested identifier already exists.',
              errors: [{ domain: 'global', reason: 'duplicate', message: 'The requested identifier already exists.' }],
            },
          },
        },
      ],
      [`GET /calendars/primary/events/${ID}`, { json: { ...EVENT, id: ID } }],
    ],
    { output: { ...EVENT, id: ID } },
  ),
  talks(
    ['create_event', 'a missing permission is reported'],
    { summary: 'Review', ...TIMES },
    [
      [
        CREATE,
        {
          status: 403,
          json: {
            error: { code: 403, message: 'Insufficient Permission', errors: [{ reason: 'insufficientPermissions' }] },
          },
        },
      ],
    ],
    { failing: { code: 'insufficientPermissions', message: 'Insufficient Permission' } },
  ),
  pages(
    ['list_calendars', 'pages follow the token'],
    {},
    [
      [
        'GET /users/me/calendarList?maxResults=250',
        { json: { items: [{ id: 'a', summary: 'A' }], nextPageToken: 'next' } },
      ],
      ['GET /users/me/calendarList?maxResults=250&pageToken=next', { json: { items: [{ id: 'b', summary: 'B' }] } }],
    ],
    [
      { id: 'a', summary: 'A' },
      { id: 'b', summary: 'B' },
    ],
  ),
  page(
    ['list_events', 'events of a time'],
    { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', search: 'review' },
    [
      'GET /calendars/primary/events',
      {
        query: {
          singleEvents: 'true',
          orderBy: 'startTime',
          maxResults: '250',
          timeMin: '2026-03-01T00:00:00Z',
          timeMax: '2026-03-02T00:00:00Z',
          q: 'review',
        },
      },
    ],
    { items: [EVENT] },
    [EVENT],
  ),
  gives(['get_event', 'one event'], { event_id: 'abc123' }, 'GET /calendars/primary/events/abc123', EVENT),
  fails(
    ['get_event', 'one that is not there'],
    { event_id: 'nothing' },
    'GET /calendars/primary/events/nothing',
    { status: 404, json: { error: { code: 404, message: 'Not Found', errors: [{ reason: 'notFound' }] } } },
    { code: 'notFound', message: 'Google Calendar answered 404: Not Found' },
  ),
  fails(
    ['get_event', 'too many questions of one user, which the provider says with 403, may be tried again'],
    { event_id: 'abc123' },
    'GET /calendars/primary/events/abc123',
    {
      status: 403,
      json: { error: { code: 403, message: 'Rate Limit Exceeded', errors: [{ reason: 'userRateLimitExceeded' }] } },
    },
    { code: 'userRateLimitExceeded', message: 'Rate Limit Exceeded', retryable: true },
  ),
  gives(
    ['quick_add_event', 'an event of a sentence'],
    { text: 'Lunch with Ada tomorrow at noon' },
    'POST /calendars/primary/events/quickAdd?text=Lunch+with+Ada+tomorrow+at+noon&sendUpdates=none',
    EVENT,
  ),
  gives(
    ['update_event', 'what is given changes'],
    { event_id: 'abc123', location: 'Room 5', start: '2026-03-01T10:00:00+01:00', send_updates: 'externalOnly' },
    [
      'PATCH /calendars/primary/events/abc123?sendUpdates=externalOnly',
      { body: { location: 'Room 5', start: { dateTime: '2026-03-01T10:00:00+01:00' } } },
    ],
    EVENT,
  ),
  gives(
    ['delete_event', 'an event is deleted'],
    { event_id: 'abc123' },
    'DELETE /calendars/primary/events/abc123?sendUpdates=none',
    null,
    { deleted: true },
  ),
  gives(
    ['find_busy_times', 'times that are taken'],
    { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', calendar_ids: ['primary', 'ada@example.com'] },
    [
      'POST /freeBusy',
      {
        body: {
          timeMin: '2026-03-01T00:00:00Z',
          timeMax: '2026-03-02T00:00:00Z',
          items: [{ id: 'primary' }, { id: 'ada@example.com' }],
        },
      },
    ],
    { kind: 'calendar#freeBusy', calendars: { primary: { busy: [] } } },
    { calendars: { primary: { busy: [] } } },
  ),
];
