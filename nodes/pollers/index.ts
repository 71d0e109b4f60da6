import { chatMessage } from './chat-message';
import type { Poller } from './contract';
import { email } from './email';
import { httpPoll } from './http-poll';
import { microsoftFile } from './microsoft-file';
import { microsoftMail } from './microsoft-mail';
import { notesDatabase } from './notes-database';
import { rss } from './rss';
import { suiteCalendar } from './suite-calendar';
import { suiteMail } from './suite-mail';
import { suiteSheet } from './suite-sheet';

/** All pollers by trigger type. A new one needs a folder and a line here. */
export const POLLERS: ReadonlyMap<string, Poller> = new Map(
  [
    httpPoll,
    rss,
    email,
    suiteMail,
    suiteSheet,
    suiteCalendar,
    notesDatabase,
    chatMessage,
    microsoftMail,
    microsoftFile,
  ].map((poller) => [poller.type, poller]),
);
