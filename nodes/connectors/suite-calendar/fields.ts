import { choice, filledText, flag, integer, list, object, outputOf, text } from '../../schema';

export const CALENDAR = filledText('ID of the calendar; `primary`: that of the account.', 'primary', {
  maxLength: 500,
  default: 'primary',
});

export const EVENT_ID = filledText('ID of the event.', '7cbh8rpc10lrc0ckih9tafss99', { maxLength: 1_024 });

const WHEN = '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:\\d{2})?)?$';

export const START = text('Start time; a date for an all-day event.', '2026-03-01T10:00:00+01:00', { pattern: WHEN });

export const END = text('End time; for all-day events the day after the last day.', '2026-03-01T11:00:00+01:00', {
  pattern: WHEN,
});

/** An instant, for questions. */
export const instant = (description: string) =>
  text(description, '2026-03-01T00:00:00Z', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$',
  });

export const TIMEZONE = text('For times without an offset and for recurrence.', 'Europe/Berlin', { maxLength: 100 });

export const DETAILS = {
  description: text('Description; may contain HTML.', 'Agenda: orders', { maxLength: 8_192 }),
  location: text('Chat or mailbox.', 'Room 5', { maxLength: 1_024 }),
  timezone: TIMEZONE,
  attendees: list(
    text('An email address.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    'Guests to invite.',
    ['ada@example.com'],
    { maxItems: 200 },
  ),
  recurrence: list(
    text('A rule in the format of RFC 5545.', 'RRULE:FREQ=WEEKLY;COUNT=4', {
      pattern: '^(?:RRULE|EXRULE|RDATE|EXDATE)[:;]',
    }),
    'Recurrence rules.',
    ['RRULE:FREQ=WEEKLY;COUNT=4'],
    { maxItems: 20 },
  ),
  visibility: choice(['default', 'public', 'private', 'confidential'], 'Visibility of the event.'),
  show_as: choice(['busy', 'free'], 'Whether the event blocks time.'),
} as const;

export const SUMMARY = text('Type.', 'Weekly review', { maxLength: 1_024 });

export const SEND_UPDATES = choice(['all', 'externalOnly', 'none'], 'Guests who are notified by email.', {
  default: 'none',
});

export const MEETING = flag('Creates a video meeting link.', { default: false });

export const EVENT = outputOf(
  {
    id: text('ID of the event.'),
    status: choice(['confirmed', 'tentative', 'cancelled'], 'Status of the event.'),
    summary: text('Type.'),
    start: object({}, '`dateTime` and `timeZone`, or `date`.', { open: true }),
    end: object({}, '`dateTime` and `timeZone`, or `date`.', { open: true }),
    htmlLink: text('URL in the web app.'),
    hangoutLink: text('Video meeting link.'),
    attendees: list(object({}, '`email` and `responseStatus`.', { open: true }), 'Guests.'),
    sequence: integer('Revision number.'),
  },
  ['id'],
);
