import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { suiteCalendar as calendar } from '../../connectors/suite-calendar';
import type { Poller, PollItem } from '../contract';
import { listAt } from '../../connectors/values';
import { textIn } from '../json';
import { type RequestProvider, providerClient } from '../provider-client';
import { unreadable } from '../fault';
import { urlPath } from '../../connectors/http/path';

const PAGE = 250;
/** Pages of one poll; the next poll continues after them. */
const MAX_PAGES = 10;
/** The token is too old: everything is listed again. */
const GONE = 410;

/** Where a reading of changes stands. */
interface Position {
  /** Sync token for the next changes; null: read everything. */
  readonly sync: string | null;
  /** The page to go on with; null for the first. */
  readonly page: string | null;
  /** Changes up to then are known, in any order; null: lists everything. */
  readonly since: string | null;
  /** The newest reported change. */
  readonly newest: string;
}

const BEGINNING: Position = { sync: null, page: null, since: null, newest: '' };

/**
 * New, changed and cancelled events, by incremental sync. When the sync token has expired (410), all events are read again,
 * and those that changed since the last poll are used.
 */
export const suiteCalendar: Poller = {
  type: 'suite_calendar',
  async poll(context) {
    const request = await providerClient(context, calendar);
    const path = urlPath`/calendars/${context.config.calendar ?? 'primary'}/events`;
    const items: PollItem[] = [];
    let position = positionOf(context.cursor) ?? BEGINNING;
    for (let pages = 0; pages < MAX_PAGES && items.length < context.limit; pages += 1) {
      const page = await readChanges(request, path, position);
      if (page.kind === 'gone') {
        // Changes on further pages may be older than the newest of the first page.
        position = { ...BEGINNING, since: position.since ?? position.newest, newest: position.newest };
        continue;
      }
      const { events, next } = page;
      const { since } = position;
      if (since !== null)
        items.push(...events.filter((event) => position.sync !== null || changedAt(event) > since).map(itemOf));
      position = next;
      if (next.page === null) return { kind: 'items', items, cursor: { ...position }, more: false };
    }
    return { kind: 'items', items, cursor: { ...position }, more: true };
  },
};

type Changes = { kind: 'gone' } | { kind: 'page'; events: JsonObject[]; next: Position };

async function readChanges(request: RequestProvider, path: string, position: Position): Promise<Changes> {
  const { sync, page } = position;
  const query = {
    maxResults: PAGE,
    showDeleted: 'true',
    ...(sync === null ? {} : { syncToken: sync }),
    ...(page === null ? {} : { pageToken: page }),
  };
  const { status, body } = await request({ path, query, expected: sync === null ? [] : [GONE] });
  if (status === GONE) return { kind: 'gone' };
  const events = listAt(body, 'items').filter(isObject) as JsonObject[];
  const newest = events.map(changedAt).reduce((last, at) => (at > last ? at : last), position.newest);
  const [following, token] = [textIn(body, 'nextPageToken'), textIn(body, 'nextSyncToken')];
  if (following !== null) return { kind: 'page', events, next: { ...position, page: following, newest } };
  if (token === null) throw unreadable('the calendar has ended its list without a token for the next');
  return { kind: 'page', events, next: { sync: token, page: null, since: newest, newest } };
}

const changedAt = (event: JsonObject): string => textIn(event, 'updated') ?? '';

function itemOf(event: JsonObject): PollItem {
  const id = textIn(event, 'id') ?? '';
  const version = textIn(event, 'updated') ?? textIn(event, 'etag') ?? '';
  const cancelled = event.status === 'cancelled';
  const change = cancelled ? 'cancelled' : isNew(event) ? 'created' : 'updated';
  return { id: `${id} ${version} ${cancelled ? 'cancelled' : ''}`, trigger: { id, change, event } };
}

/** Created and changed at once: the two times differ by milliseconds. */
function isNew(event: JsonObject): boolean {
  const [created, updated] = [Date.parse(textIn(event, 'created') ?? ''), Date.parse(changedAt(event))];
  return Math.abs(updated - created) < 2_000;
}

function positionOf(cursor: Json): Position | null {
  if (!isObject(cursor)) return null;
  const [sync, page, since] = [textIn(cursor, 'sync'), textIn(cursor, 'page'), textIn(cursor, 'since')];
  return { sync, page, since, newest: textIn(cursor, 'newest') ?? '' };
}
