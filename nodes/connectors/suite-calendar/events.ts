import type { HttpAction } from '../contract';
import { ask, asks, does, settles } from '../define';
import { at } from '../http/path';
import { choice, flag, list, object, outputOf, text } from '../schemas';
import { tokenPages } from '../suite/pages';
import { objectAt, present, textAt, textsAt } from '../values';
import { calendarOf } from './create';
import { eventOf } from './event';
import { CALENDAR, DETAILS, END, EVENT, EVENT_ID, instant, SEND_UPDATES, START, SUMMARY, TIMEZONE } from './fields';

const UPDATES = { send_updates: SEND_UPDATES };

const notifyQuery = (input: Parameters<HttpAction['request']>[0]) => ({
  sendUpdates: textAt(input, 'send_updates') ?? 'none',
});

export const events: readonly HttpAction[] = [
  asks('list_calendars', 'List calendars', 'Calendars that the account sees.', {
    item: object(
      {
        id: text('Id', 'Id of the calendar.'),
        summary: text('Title', 'Its name.'),
        timeZone: text('Time zone', 'Where it is kept.'),
        primary: flag('Primary', 'Whether it is the one of the account itself.'),
        accessRole: choice(['freeBusyReader', 'reader', 'writer', 'owner'], 'Role', 'What the account may do there.'),
      },
      'Calendar',
      'A calendar.',
      { open: true },
    ),
    call: 'GET /users/me/calendarList',
    query: { maxResults: 250 },
    pages: tokenPages('items'),
  }),
  asks('list_events', 'List events', 'Events of a calendar by their start, those that repeat one by one.', {
    may: {
      calendar_id: CALENDAR,
      from: instant('From', 'Events that end after this.'),
      to: instant('To', 'Events that begin before this.'),
      search: text('Search', 'Words in title, description, place or guests.', 'review', { maxLength: 500 }),
      timezone: TIMEZONE,
    },
    item: EVENT,
    request: (input) => ({
      method: 'GET',
      url: at`/calendars/${calendarOf(input)}/events`,
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
  asks('get_event', 'Read an event', 'One event of a calendar.', {
    needs: { event_id: EVENT_ID },
    may: { calendar_id: CALENDAR },
    output: EVENT,
    request: (input) => ({ method: 'GET', url: at`/calendars/${calendarOf(input)}/events/${input.event_id}` }),
  }),
  does('quick_add_event', 'Create an event from words', 'Reads when and what from a sentence.', {
    needs: { text: text('Sentence', 'What and when.', 'Lunch with Ada tomorrow at noon', { maxLength: 1_024 }) },
    may: { calendar_id: CALENDAR, ...UPDATES },
    output: EVENT,
    request: (input) => ({
      method: 'POST',
      url: at`/calendars/${calendarOf(input)}/events/quickAdd`,
      query: { ...ask(input, 'text'), ...notifyQuery(input) },
    }),
  }),
  settles('update_event', 'Change an event', 'Changes what is given; the rest stays.', {
    needs: { event_id: EVENT_ID },
    may: { calendar_id: CALENDAR, summary: SUMMARY, start: START, end: END, ...DETAILS, ...UPDATES },
    output: EVENT,
    request: (input) => ({
      method: 'PATCH',
      url: at`/calendars/${calendarOf(input)}/events/${input.event_id}`,
      query: notifyQuery(input),
      body: eventOf(input),
    }),
  }),
  settles('delete_event', 'Delete an event', 'Takes an event out of a calendar.', {
    needs: { event_id: EVENT_ID },
    may: { calendar_id: CALENDAR, ...UPDATES },
    output: outputOf({ deleted: flag('Deleted', 'True.') }, ['deleted']),
    request: (input) => ({
      method: 'DELETE',
      url: at`/calendars/${calendarOf(input)}/events/${input.event_id}`,
      query: notifyQuery(input),
    }),
    read: () => ({ deleted: true }),
  }),
  asks('find_busy_times', 'Find busy times', 'When calendars have no time.', {
    needs: { from: instant('From', 'Where to begin.'), to: instant('To', 'Where to end.') },
    may: {
      calendar_ids: list(
        text('Calendar', 'Id of a calendar, or an email address.', 'primary', { minLength: 1, maxLength: 500 }),
        'Calendars',
        'Whose times.',
        ['primary'],
        { minItems: 1, maxItems: 50, default: ['primary'] },
      ),
      timezone: TIMEZONE,
    },
    output: outputOf(
      { calendars: object({}, 'Calendars', 'By id: `busy`, a list of `{start, end}`, and `errors`.', { open: true }) },
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
