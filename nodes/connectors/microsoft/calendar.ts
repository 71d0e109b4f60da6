import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { choice, filledText, flag, list, object, outputOf, record, text } from '../../schema';
import { idempotentWrite, readAction } from '../define';
import { urlPath } from '../http/path';
import { textAt, withoutUndefined } from '../values';
import { DELETED, EMAILS, graphPages, idField, recipients } from './graph';

const EVENT_ID = idField('ID of the event.', 'AAMkAGI2TG93AAA=');
const CALENDAR = idField('ID of a calendar; left out: that of the account.', 'AAMkAGI2TGuLAAA=');
const TIMEZONE = filledText('Time zone of times without an offset, and of the answer.', 'Europe/Berlin', {
  maxLength: 100,
  default: 'UTC',
});
const time = (description: string) =>
  text(description, '2026-03-01T10:00:00', { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?$' });
const instant = (description: string) =>
  text(description, '2026-03-01T00:00:00Z', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$',
  });

const EVENT = outputOf(
  {
    id: text('ID of the event.'),
    subject: text('Title.'),
    start: record('`dateTime` and `timeZone`.'),
    end: record('`dateTime` and `timeZone`.'),
    location: record('`displayName`.'),
    attendees: list(object({}, '`emailAddress` and `status`.', { open: true }), 'Guests.'),
    onlineMeeting: record('`joinUrl` of a video meeting.'),
    webLink: text('URL in the web app.'),
  },
  ['id'],
);

const DETAILS = {
  body: text('Description; may contain HTML.', 'Agenda: orders', { maxLength: 100_000 }),
  location: text('Place.', 'Room 5', { maxLength: 255 }),
  attendees: EMAILS('Guests to invite.'),
  all_day: flag('The event lasts whole days: start and end are midnights.'),
  show_as: choice(['free', 'tentative', 'busy', 'oof', 'workingElsewhere'], 'Availability during the event.'),
  sensitivity: choice(['normal', 'personal', 'private', 'confidential'], 'Who may see details.'),
  reminder_minutes: {
    type: 'integer',
    minimum: 0,
    maximum: 40_320,
    description: 'Reminder before the start.',
    examples: [15],
  },
  timezone: TIMEZONE,
} as const;

const at = (value: Json | undefined, timeZone: string): JsonObject | undefined =>
  value === undefined ? undefined : { dateTime: value, timeZone };

function eventOf(input: JsonObject): JsonObject {
  const zone = textAt(input, 'timezone') ?? 'UTC';
  return withoutUndefined({
    subject: input.subject,
    body: input.body === undefined ? undefined : { contentType: 'HTML', content: input.body },
    start: at(input.start, zone),
    end: at(input.end, zone),
    location: input.location === undefined ? undefined : { displayName: input.location },
    attendees: recipients(input.attendees)?.map((guest) => ({ ...guest, type: 'required' })),
    isAllDay: input.all_day,
    showAs: input.show_as,
    sensitivity: input.sensitivity,
    reminderMinutesBeforeStart: input.reminder_minutes,
  });
}

const inZone = (input: JsonObject) => ({ prefer: `outlook.timezone="${zoneOf(input)}"` });

/** A name that cannot end the text of the header. */
const zoneOf = (input: JsonObject): string => (textAt(input, 'timezone') ?? 'UTC').replaceAll(/[^\w/+\- ]/g, '');

const calendarOf = (input: JsonObject): string =>
  input.calendar_id === undefined ? '/me/calendar' : urlPath`/me/calendars/${input.calendar_id}`;

/** Outlook's calendar. */
export const calendar: readonly HttpAction[] = [
  readAction('list_calendars', 'Lists calendars of the account.', {
    item: outputOf(
      { id: text('ID of the calendar.'), name: text('Name.'), canEdit: flag('Whether it can be changed.') },
      ['id'],
    ),
    call: 'GET /me/calendars',
    query: { $top: 100 },
    pages: graphPages,
  }),
  readAction('list_events', 'Lists events of a range by start time; recurring events are expanded.', {
    required: { from: instant('Start of the range.'), to: instant('End of the range.') },
    optional: { calendar_id: CALENDAR, timezone: TIMEZONE },
    item: EVENT,
    request: (input) => ({
      method: 'GET',
      url: `${calendarOf(input)}/calendarView`,
      query: {
        startDateTime: textAt(input, 'from'),
        endDateTime: textAt(input, 'to'),
        $orderby: 'start/dateTime',
        $top: 100,
      },
      headers: inZone(input),
    }),
    pages: graphPages,
  }),
  readAction('get_event', 'Returns an event.', {
    required: { event_id: EVENT_ID },
    optional: { timezone: TIMEZONE },
    output: EVENT,
    request: (input) => ({ method: 'GET', url: urlPath`/me/events/${input.event_id}`, headers: inZone(input) }),
  }),
  // Graph creates one event for a transaction, however often it is asked for.
  idempotentWrite('create_event', 'Creates an event, once per step, and invites guests.', {
    required: {
      subject: text('Title.', 'Weekly review', { maxLength: 255 }),
      start: time('Start time, without an offset.'),
      end: time('End time, without an offset.'),
    },
    optional: {
      calendar_id: CALENDAR,
      ...DETAILS,
      meeting: flag('Creates a meeting in Teams.', { default: false }),
    },
    output: EVENT,
    request: (input, _account, { idempotencyKey }) => ({
      method: 'POST',
      url: `${calendarOf(input)}/events`,
      body: {
        ...eventOf(input),
        transactionId: createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32),
        ...(input.meeting === true ? { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' } : {}),
      },
    }),
  }),
  idempotentWrite('update_event', 'Updates the given fields; other fields are unchanged.', {
    required: { event_id: EVENT_ID },
    optional: {
      subject: text('Title.', 'Weekly review', { maxLength: 255 }),
      start: time('Start time, without an offset.'),
      end: time('End time, without an offset.'),
      ...DETAILS,
    },
    output: EVENT,
    request: (input) => ({ method: 'PATCH', url: urlPath`/me/events/${input.event_id}`, body: eventOf(input) }),
  }),
  idempotentWrite('delete_event', 'Deletes an event, and tells its guests.', {
    required: { event_id: EVENT_ID },
    ...DELETED,
    call: 'DELETE /me/events/{event_id}',
  }),
  readAction('find_busy_times', 'Returns the busy times of people and rooms.', {
    required: {
      emails: EMAILS('People and rooms.'),
      from: time('Start of the range, without an offset.'),
      to: time('End of the range, without an offset.'),
    },
    optional: { timezone: TIMEZONE },
    output: outputOf(
      {
        value: list(
          object({}, '`scheduleId`, `availabilityView`, and `scheduleItems`.', { open: true }),
          'By address.',
        ),
      },
      ['value'],
    ),
    request: (input) => {
      const zone = zoneOf(input);
      return {
        method: 'POST',
        url: '/me/calendar/getSchedule',
        headers: inZone(input),
        body: {
          schedules: input.emails ?? [],
          startTime: { dateTime: input.from ?? '', timeZone: zone },
          endTime: { dateTime: input.to ?? '', timeZone: zone },
          availabilityViewInterval: 30,
        },
      };
    },
  }),
];
