import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { choice, filledText, flag, list, object, outputOf, text } from '../../schema';
import { tokenPages } from '../suite/pages';
import { objectAt, present, textAt, textsAt } from '../values';
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
  readAction('list_calendars', 'Calendars that the account sees.', {
    item: object(
      {
        id: text('Id of the calendar.'),
        summary: text('Its name.'),
        timeZone: text('Where it is kept.'),
        primary: flag('Whether it is the one of the account itself.'),
        accessRole: choice(['freeBusyReader', 'reader', 'writer', 'owner'], 'What the account may do there.'),
      },
      'A calendar.',
      { open: true },
    ),
    call: 'GET /users/me/calendarList',
    query: { maxResults: 250 },
    pages: tokenPages('items'),
  }),
  readAction('list_events', 'Events of a calendar by their start, those that repeat one by one.', {
    optional: {
      calendar_id: CALENDAR,
      from: instant('Events that end after this.'),
      to: instant('Events that begin before this.'),
      search: text('Words in title, description, place or guests.', 'review', { maxLength: 500 }),
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
  readAction('get_event', 'One event of a calendar.', {
    required: { event_id: EVENT_ID },
    optional: { calendar_id: CALENDAR },
    output: EVENT,
    request: (input) => ({ method: 'GET', url: urlPath`/calendars/${calendarOf(input)}/events/${input.event_id}` }),
  }),
  writeAction('quick_add_event', 'Reads when and what from a sentence.', {
    required: { text: text('What and when.', 'Lunch with Ada tomorrow at noon', { maxLength: 1_024 }) },
    optional: { calendar_id: CALENDAR, ...UPDATES },
    output: EVENT,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/calendars/${calendarOf(input)}/events/quickAdd`,
      query: { ...queryFrom(input, 'text'), ...notifyQuery(input) },
    }),
  }),
  idempotentWrite('update_event', 'Changes what is given; the rest stays.', {
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
  idempotentWrite('delete_event', 'Takes an event out of a calendar.', {
    required: { event_id: EVENT_ID },
    optional: { calendar_id: CALENDAR, ...UPDATES },
    output: outputOf({ deleted: flag('True.') }, ['deleted']),
    request: (input) => ({
      method: 'DELETE',
      url: urlPath`/calendars/${calendarOf(input)}/events/${input.event_id}`,
      query: notifyQuery(input),
    }),
    read: () => ({ deleted: true }),
  }),
  readAction('find_busy_times', 'When calendars have no time.', {
    required: { from: instant('Where to begin.'), to: instant('Where to end.') },
    optional: {
      calendar_ids: list(
        filledText('Id of a calendar, or an email address.', 'primary', { maxLength: 500 }),
        'Whose times.',
        ['primary'],
        { minItems: 1, maxItems: 50, default: ['primary'] },
      ),
      timezone: TIMEZONE,
    },
    output: outputOf(
      { calendars: object({}, 'By id: `busy`, a list of `{start, end}`, and `errors`.', { open: true }) },
      ['calendars'],
    ),
    request: (input) => ({
      method: 'POST',
      url: '/freeBusy',
      body: present({
        timeMin: textAt(input, 'from'),
        timeMax: textAt(input, 'to'),
        timeZone: textAt(input, 'timezone'),
        items: ('calendar_ids' in input ? textsAt(input, 'calendar_ids') : ['primary']).map((id) => ({ id })),
      }),
    }),
    read: ({ body }) => ({ calendars: objectAt(body, 'calendars') }),
  }),
];
