import { choice, filledText, flag, integer, list, object, outputOf, text } from '../../schema';

export const CALENDAR = filledText('Its id; `primary` for the one of the account itself.', 'primary', {
  maxLength: 500,
  default: 'primary',
});

export const EVENT_ID = filledText('Id of the event.', '7cbh8rpc10lrc0ckih9tafss99', {
  maxLength: 1_024,
});

const WHEN = '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:\\d{2})?)?$';

export const START = text('A time; a day alone for an event of whole days.', '2026-03-01T10:00:00+01:00', {
  pattern: WHEN,
});

export const END = text('When it is over; of whole days the day after the last.', '2026-03-01T11:00:00+01:00', {
  pattern: WHEN,
});

/** An instant, for questions. */
export const instant = (description: string) =>
  text(description, '2026-03-01T00:00:00Z', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$',
  });

export const TIMEZONE = text('For times without an offset, and for what repeats.', 'Europe/Berlin', {
  maxLength: 100,
});

export const DETAILS = {
  description: text('More about it; HTML may be in it.', 'Agenda: orders', { maxLength: 8_192 }),
  location: text('Where it is.', 'Room 5', { maxLength: 1_024 }),
  timezone: TIMEZONE,
  attendees: list(
    text('An email address.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    'Whom to invite.',
    ['ada@example.com'],
    { maxItems: 200 },
  ),
  recurrence: list(
    text('A line of RFC 5545.', 'RRULE:FREQ=WEEKLY;COUNT=4', { pattern: '^(?:RRULE|EXRULE|RDATE|EXDATE)[:;]' }),
    'How it repeats.',
    ['RRULE:FREQ=WEEKLY;COUNT=4'],
    { maxItems: 20 },
  ),
  visibility: choice(['default', 'public', 'private', 'confidential'], 'Who may read it.'),
  show_as: choice(['busy', 'free'], 'Whether it takes time.'),
} as const;

export const SUMMARY = text('What it is.', 'Weekly review', { maxLength: 1_024 });

export const SEND_UPDATES = choice(['all', 'externalOnly', 'none'], 'Who gets an email about it.', {
  default: 'none',
});

export const MEETING = flag('Makes a link to meet at.', { default: false });

export const EVENT = outputOf(
  {
    id: text('Id of the event.'),
    status: choice(['confirmed', 'tentative', 'cancelled'], 'Whether it takes place.'),
    summary: text('What it is.'),
    start: object({}, '`dateTime` and `timeZone`, or `date`.', { open: true }),
    end: object({}, '`dateTime` and `timeZone`, or `date`.', { open: true }),
    htmlLink: text('Where people look at it.'),
    hangoutLink: text('Where people meet.'),
    attendees: list(object({}, '`email` and `responseStatus`.', { open: true }), 'Who is invited.'),
    sequence: integer('How often it was changed.'),
  },
  ['id'],
);
