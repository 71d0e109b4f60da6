import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { notes } from '../../connectors/notes';
import type { Poller, PollItem } from '../contract';
import { listIn, textIn } from '../json';
import { type Ask, askerOf } from '../provider';
import { plainProperties } from './properties';
import { urlPath } from '../../connectors/http/path';

const PAGE = 100;
/** Pages of one poll. */
const MAX_PAGES = 10;
const MINUTE_MS = 60_000;

/** Where a reading of changes stands. Times are RFC 3339. */
interface Place {
  readonly since: string;
  /** The newest reported edit. */
  readonly newest: string;
  /** The page of the list to go on with; null for the first. */
  readonly start: string | null;
}

/**
 * Pages of a database that are new or edited. The provider rounds the time of an edit down to the minute, so the last
 * minute is asked for again, and a page that is edited twice in one counts once.
 */
export const notesDatabase: Poller = {
  type: 'notes_database',
  async poll(world) {
    const { config, cursor, now, limit, known } = world;
    const ask = await askerOf(world, notes);
    const path = urlPath`/v1/databases/${config.database}/query`;
    const items: PollItem[] = [];
    let place = placeOf(cursor, now);
    for (let pages = 0; pages < MAX_PAGES && items.length < limit; pages += 1) {
      const page = await readPage(ask, path, place);
      if (page === null) {
        place = { ...place, start: null };
        continue;
      }
      items.push(...page.items.filter(({ id }) => !known(id)));
      place = page.next;
      if (place.start === null) return { kind: 'items', items, cursor: { ...place, since: place.newest }, more: false };
    }
    return { kind: 'items', items, cursor: { ...place }, more: true };
  },
};

/** Null when the provider does not know any more where we are. */
async function readPage(ask: Ask, path: string, { since, newest, start }: Place) {
  const { status, body } = await ask({
    path,
    body: {
      filter: { timestamp: 'last_edited_time', last_edited_time: { on_or_after: since } },
      sorts: [{ timestamp: 'last_edited_time', direction: 'ascending' }],
      page_size: PAGE,
      ...(start === null ? {} : { start_cursor: start }),
    },
    expected: start === null ? [] : [400],
  });
  if (status === 400) return null;
  const items = (listIn(body, 'results').filter(isObject) as JsonObject[]).map(itemOf);
  const next: Place = {
    since,
    newest: items.map(({ trigger }) => String(trigger.last_edited_time)).reduce(later, newest),
    start: body.has_more === true ? textIn(body, 'next_cursor') : null,
  };
  return { items, next };
}

function placeOf(cursor: Json, now: number): Place {
  const since = textIn(cursor, 'since') ?? new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString();
  return { since, newest: textIn(cursor, 'newest') ?? since, start: textIn(cursor, 'start') };
}

const later = (one: string, other: string): string => (other > one ? other : one);

function itemOf(page: JsonObject): PollItem {
  const id = textIn(page, 'id') ?? '';
  const [created, edited] = [textIn(page, 'created_time') ?? '', textIn(page, 'last_edited_time') ?? ''];
  const trigger = {
    id,
    change: created === edited ? 'created' : 'updated',
    url: textIn(page, 'url'),
    created_time: created,
    last_edited_time: edited,
    properties: plainProperties(page),
    page,
  };
  return { id: `${id} ${edited}`, trigger };
}
