import { suiteConnector } from '../suite/connector';
import { createEvent } from './create';
import { events } from './events';

/** The API of Google Calendar, version 3. */
export const suiteCalendar = suiteConnector(
  {
    name: 'suite-calendar',
    aliases: ['google_calendar', 'gcal'],
    title: 'Google Calendar',
    description: 'Manage events and find free times in Google Calendar.',
    category: 'Productivity',
    docs: 'https://developers.google.com/workspace/calendar/api/v3/reference',
    connectionTest: { action: 'list_calendars', input: { limit: 1 } },
    actions: [createEvent, ...events],
  },
  'https://www.googleapis.com/calendar/v3',
  ['calendar'],
);
