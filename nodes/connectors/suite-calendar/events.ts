import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { choice, filledText, flag, list, object, outputOf, text } from '../../schema';
import { tokenPages } from '../suite/pages';
import { objectAt, withoutUndefined, textAt, textsAt } from '../values';
import { calendarOf } from './create';
import { eventOf } from './event';
import { CALENDAR, DETAILS, END, EVENT, EVENT_ID, instant, SEND_UPDATES, START, SUMMARY, TIMEZONE } from './fields';
import { queryFrom } from '../input';
import { idempotentWrite, readAction, writeAction } from '../define';

const UPDATES = { send_updates: SEND_UPDATES };

const notifyQuery = (input: Parameters<HttpAction['request']>[0]) => ({
  sendUpdates: textAt(input, 'send_updates') ?? 'none',
});

export const events: readonly HttpAction[] = [
  readAction('list_calendars', 'Lists calendars of the account.', {
    item: object(
      {
        id: text('ID of the calendar.'),
        summary: text('Name of the field.'),
        timeZone: text('Time zone of the calendar.'),
        primary: flag('Whether it is the primary calendar.'),
        accessRole: choice(['freeBusyReader', 'reader', 'writer', 'owner'], 'Access role of the account.'),
      },
      'A calendar.',
      { open: true },
    ),
    call: 'GET /users/me/calendarList',
    query: { maxResults: 250 },
    pages: tokenPages('items'),
  }),
  readAction('list_events', 'Lists events of a calendar by start time; recurring events are expanded.', {
    optional: {
      calendar_id: CALENDAR,
      from: instant('Only events that end after this time.'),
      to: instant('Only events that start before this time.'),
      search: text('Search terms for title, description, location and guests.', 'review', { maxLength: 500 }),
      timezone: TIMEZONE,
    },
    item: EVENT,
    request: (input) => ({
      method: 'GET',
      url: urlPath`/calendars/${calendarOf(input)}/events`,
      query: {
        singleEvents: true,
        orderBy: 'startTime',
        maxResults: 250,
        timeMin: textAt(input, 'from'),
        timeMax: textAt(input, 'to'),
        q: textAt(input, 'search'),
        timeZone: textAt(input, 'timezone'),
      },
    }),
    pages: tokenPages('items'),
  }),
  readAction('get_event', 'Returns an event.', {
    required: { event_id: EVENT_ID },
    optional: { calendar_id: CALENDAR },
    output: EVENT,
    request: (input) => ({ method: 'GET', url: urlPath`/calendars/${calendarOf(input)}/events/${input.event_id}` }),
  }),
  writeAction('quick_add_event', 'Creates an event from a sentence.', {
    required: { text: text('Text with title and time.', 'Lunch with Ada tomorrow at noon', { maxLength: 1_024 }) },
    optional: { calendar_id: CALENDAR, ...UPDATES },
    output: EVENT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/calendars/${calendarOf(input)}/events/quickAdd`,
      query: { ...queryFrom(input, 'text'), ...notifyQuery(input) },
    }),
  }),
  idempotentWrite('update_event', 'Updates the given fields; other fields are unchanged.', {
    required: { event_id: EVENT_ID },
    optional: { calendar_id: CALENDAR, summary: SUMMARY, start: START, end: END, ...DETAILS, ...UPDATES },
    output: EVENT,
    request: (input) => ({
      method: 'PATCH',
      url: urlPath`/calendars/${calendarOf(input)}/events/${input.event_id}`,
      query: notifyQuery(input),
      body: eventOf(input),
    }),
  }),
  idempotentWrite('delete_event', 'Deletes an event.', {
    required: { event_id: EVENT_ID },
    optional: { calendar_id: CALENDAR, ...UPDATES },
    output: outputOf({ deleted: flag('Always true.') }, ['deleted']),
    request: (input) => ({
      method: 'DELETE',
      url: urlPath`/calendars/${calendarOf(input)}/events/${input.event_id}`,
      query: notifyQuery(input),
    }),
    read: () => ({ deleted: true }),
  }),
  readAction('find_busy_times', 'Returns the busy times of calendars.', {
    required: { from: instant('Start of the range.'), to: instant('End of the range.') },
    optional: {
      calendar_ids: list(
        filledText('ID of a calendar, or an email address.', 'primary', { maxLength: 500 }),
        'IDs of calendars.',
        ['primary'],
        { minItems: 1, maxItems: 50, default: ['primary'] },
      ),
      timezone: TIMEZONE,
    },
    output: outputOf(
      { calendars: object({}, 'By calendar ID: `busy`, a list of `{start, end}`, and `errors`.', { open: true }) },
      ['calendars'],
    ),
    request: (input) => ({
      method: 'POST',
      url: '/freeBusy',
      body: withoutUndefined({
        timeMin: textAt(input, 'from'),
        timeMax: textAt(input, 'to'),
        timeZone: textAt(input, 'timezone'),
        items: ('calendar_ids' in input ? textsAt(input, 'calendar_ids') : ['primary']).map((id) => ({ id })),
      }),
    }),
    read: ({ body }) => ({ calendars: objectAt(body, 'calendars') }),
  }),
];
