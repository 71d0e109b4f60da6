import { chatMessage } from './chat-message';
import type { Polled, Poller, PollWorld } from './contract';
import { email } from './email';
import { toldFault } from './fault';
import { httpPoll } from './http-poll';
import { notesDatabase } from './notes-database';
import { rss } from './rss';
import { suiteCalendar } from './suite-calendar';
import { suiteMail } from './suite-mail';
import { suiteSheet } from './suite-sheet';

/** Every source by the type of its trigger. A new one is a folder and a name here. */
export const POLLERS: ReadonlyMap<string, Poller> = new Map(
  [httpPoll, rss, email, suiteMail, suiteSheet, suiteCalendar, notesDatabase, chatMessage].map((poller) => [
    poller.type,
    poller,
  ]),
);

/** What is new at a source, or why nobody knows. @throws what is a defect of its code */
export async function pollSource(poller: Poller, world: PollWorld): Promise<Polled> {
  try {
    return await poller.poll(world);
  } catch (thrown) {
    return toldFault(thrown);
  }
}
