import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { at } from '../../connectors/http/path';
import type { Poller, PollItem } from '../contract';
import { listIn, textIn } from '../json';
import { askerOf, type Provider } from '../provider';
import { plainProperties } from './properties';

const NOTES: Provider = {
  name: 'notes',
  base: 'https://api.notion.com',
  connectors: ['notes'],
  headers: { 'notion-version': '2022-06-28' },
};
const PAGE = 100;
/** Pages of one poll. */
const MOST_PAGES = 10;
const MINUTE_MS = 60_000;

/**
 * Pages of a database that are new or edited. The provider rounds the time of an edit down to the minute, so the last
 * minute is asked for again, and a page that is edited twice in one counts once.
 */
export const notesDatabase: Poller = {
  type: 'notes_database',
  async poll(world) {
    const { config, cursor, now, limit, known } = world;
    const ask = await askerOf(world, NOTES);
    const since = textIn(cursor, 'since') ?? new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString();
    const items: PollItem[] = [];
    let newest = since;
    let start: string | null = null;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const { body } = await ask({
        path: at`/v1/databases/${config.database}/query`,
        body: {
          filter: { timestamp: 'last_edited_time', last_edited_time: { on_or_after: since } },
          sorts: [{ timestamp: 'last_edited_time', direction: 'ascending' }],
          page_size: PAGE,
          ...(start === null ? {} : { start_cursor: start }),
        },
      });
      const found = (listIn(body, 'results').filter(isObject) as JsonObject[]).map(itemOf);
      items.push(...found.filter(({ id }) => !known(id)));
      newest = found.map(({ trigger }) => String(trigger.last_edited_time)).reduce(later, newest);
      start = body.has_more === true ? textIn(body, 'next_cursor') : null;
      if (start === null || items.length >= limit) break;
    }
    const next: Json = { since: newest };
    return { kind: 'items', items, cursor: next, more: start !== null };
  },
};

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
