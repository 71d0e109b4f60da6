import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { notes } from '../../connectors/notes';
import type { Poller, PollItem } from '../contract';
import { listAt, objectAt } from '../../connectors/values';
import { textIn, member } from '../json';
import { type RequestProvider, providerClient } from '../provider-client';
import { urlPath } from '../../connectors/http/path';
import { setOwn } from '../../../dsl';

/** Properties of a page as plain values, by name: texts, numbers, lists of names. Others are unchanged. */
function plainProperties(page: JsonObject): JsonObject {
  const plain: JsonObject = {};
  for (const [name, property] of Object.entries(objectAt(page, 'properties'))) setOwn(plain, name, plainOf(property));
  return plain;
}

function plainOf(property: Json): Json {
  const type = textIn(property, 'type') ?? '';
  const value = member(property, type) ?? null;
  switch (type) {
    case 'title':
    case 'rich_text':
      return listAt(property, type)
        .map((part) => textIn(part, 'plain_text') ?? '')
        .join('');
    case 'select':
    case 'status':
      return textIn(value, 'name');
    case 'multi_select':
    case 'people':
      return listAt(property, type).map((each) => textIn(each, 'name'));
    case 'relation':
      return listAt(property, type).map((each) => textIn(each, 'id'));
    case 'formula':
      return isObject(value) ? (member(value, textIn(value, 'type') ?? '') ?? null) : null;
    default:
      return value;
  }
}

const PAGE = 100;
/** Pages of one poll. */
const MAX_PAGES = 10;
const MINUTE_MS = 60_000;

/** Position in the list of changes. Times are RFC 3339. */
interface Position {
  readonly since: string;
  /** The newest reported edit. */
  readonly newest: string;
  /** Cursor of the next page; null for the first. */
  readonly start: string | null;
}

/**
 * Pages of a database that are new or edited. The provider rounds the time of an edit down to the minute, so the last
 * minute is read again, and a page that is edited twice within a minute counts once.
 */
export const notesDatabase: Poller = {
  type: 'notes_database',
  async poll(context) {
    const { config, cursor, now, limit, known } = context;
    const request = await providerClient(context, notes);
    const path = urlPath`/v1/databases/${config.database}/query`;
    const items: PollItem[] = [];
    let position = positionOf(cursor, now);
    for (let pages = 0; pages < MAX_PAGES && items.length < limit; pages += 1) {
      const page = await readPage(request, path, position);
      if (page === null) {
        position = { ...position, start: null };
        continue;
      }
      items.push(...page.items.filter(({ id }) => !known(id)));
      position = page.next;
      if (position.start === null)
        return { kind: 'items', items, cursor: { ...position, since: position.newest }, more: false };
    }
    return { kind: 'items', items, cursor: { ...position }, more: true };
  },
};

/** Null when the provider does not know any more where we are. */
async function readPage(request: RequestProvider, path: string, { since, newest, start }: Position) {
  const { status, body } = await request({
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
  const items = (listAt(body, 'results').filter(isObject) as JsonObject[]).map(itemOf);
  const next: Position = {
    since,
    newest: items.map(({ trigger }) => String(trigger.last_edited_time)).reduce(later, newest),
    start: body.has_more === true ? textIn(body, 'next_cursor') : null,
  };
  return { items, next };
}

function positionOf(cursor: Json, now: number): Position {
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
