import { choice, flag, integer, list, object, outputOf, text } from '../schemas';

export const CALENDAR = text('Calendar', 'Its id; `primary` for the one of the account itself.', 'primary', {
  minLength: 1,
  maxLength: 500,
  default: 'primary',
});

export const EVENT_ID = text('Event', 'Id of the event.', '7cbh8rpc10lrc0ckih9tafss99', {
  minLength: 1,
  maxLength: 1_024,
});

const WHEN = '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?:Z|[+-]\\d{2}:\\d{2})?)?$';

export const START = text('Start', 'A time; a day alone for an event of whole days.', '2026-03-01T10:00:00+01:00', {
  pattern: WHEN,
});

export const END = text('End', 'When it is over; of whole days the day after the last.', '2026-03-01T11:00:00+01:00', {
  pattern: WHEN,
});

/** An instant, for questions. */
export const instant = (title: string, description: string) =>
  text(title, description, '2026-03-01T00:00:00Z', {
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$',
  });

export const TIMEZONE = text('Time zone', 'For times without an offset, and for what repeats.', 'Europe/Berlin', {
  maxLength: 100,
});

export const DETAILS = {
  description: text('Description', 'More about it; HTML may be in it.', 'Agenda: orders', { maxLength: 8_192 }),
  location: text('Place', 'Where it is.', 'Room 5', { maxLength: 1_024 }),
  timezone: TIMEZONE,
  attendees: list(
    text('Guest', 'An email address.', 'ada@example.com', { minLength: 3, maxLength: 254 }),
    'Guests',
    'Whom to invite.',
    ['ada@example.com'],
    { maxItems: 200 },
  ),
  recurrence: list(
    text('Rule', 'A line of RFC 5545.', 'RRULE:FREQ=WEEKLY;COUNT=4', { pattern: '^(?:RRULE|EXRULE|RDATE|EXDATE)[:;]' }),
    'Repetition',
    'How it repeats.',
    ['RRULE:FREQ=WEEKLY;COUNT=4'],
    { maxItems: 20 },
  ),
  visibility: choice(['default', 'public', 'private', 'confidential'], 'Visibility', 'Who may read it.'),
  show_as: choice(['busy', 'free'], 'Shown as', 'Whether it takes time.'),
} as const;

export const SUMMARY = text('Title', 'What it is.', 'Weekly review', { maxLength: 1_024 });

export const SEND_UPDATES = choice(['all', 'externalOnly', 'none'], 'Tell guests', 'Who gets an email about it.', {
  default: 'none',
});

export const MEETING = flag('With a video meeting', 'Makes a link to meet at.', { default: false });

export const EVENT = outputOf(
  {
    id: text('Id', 'Id of the event.'),
    status: choice(['confirmed', 'tentative', 'cancelled'], 'Status', 'Whether it takes place.'),
    summary: text('Title', 'What it is.'),
    start: object({}, 'Start', '`dateTime` and `timeZone`, or `date`.', { open: true }),
    end: object({}, 'End', '`dateTime` and `timeZone`, or `date`.', { open: true }),
    htmlLink: text('Link', 'Where people look at it.'),
    hangoutLink: text('Meeting', 'Where people meet.'),
    attendees: list(object({}, 'Guest', '`email` and `responseStatus`.', { open: true }), 'Guests', 'Who is invited.'),
    sequence: integer('Revision', 'How often it was changed.'),
  },
  ['id'],
);
