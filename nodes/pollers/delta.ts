import { isObject, type Json, type JsonObject } from '../../lib/json';
import { listAt } from '../connectors/values';
import { unreadable } from './fault';
import { member, textIn } from './json';
import type { RequestProvider } from './provider-client';

/** Pages of one poll; the next poll continues after them. */
const MAX_PAGES = 10;
/** Microsoft Graph does not know the token any more. */
const GONE = 410;

type Query = Readonly<Record<string, string | number>>;

/** Where the reading of a delta query of Microsoft Graph stands. */
interface DeltaPosition {
  /** The query of the next request; null: the one that begins anew. */
  readonly next: Record<string, string> | null;
  /** The newest time that an item had, or that of the first poll, as ISO 8601. */
  readonly since: string;
  /** While everything is listed again: the time before which items are known. */
  readonly listedFrom: string | null;
}

interface DeltaSource {
  readonly path: string;
  /** The first request of all; its items exist already. */
  readonly first: Query;
  /** The first request after a token was forgotten. Its items may be known, or older. */
  readonly again: (since: string) => Query;
  /** The time of an item; null for one without, such as a removed one. */
  readonly timeOf: (item: JsonObject) => string | null;
}

interface Delta {
  readonly items: readonly JsonObject[];
  readonly cursor: Json;
  readonly more: boolean;
}

/**
 * What has changed since the last poll, by a delta query (https://learn.microsoft.com/graph/delta-query-overview). When Graph
 * has forgotten the token, the source is listed again from the time of the newest known item on.
 */
export async function readDelta(
  request: RequestProvider,
  source: DeltaSource,
  { cursor, now, limit }: { readonly cursor: Json; readonly now: number; readonly limit: number },
): Promise<Delta> {
  const stored = positionOf(cursor);
  let position: DeltaPosition = stored ?? { next: null, since: new Date(now).toISOString(), listedFrom: null };
  const items: JsonObject[] = [];
  for (let pages = 0; pages < MAX_PAGES && items.length < limit; pages += 1) {
    const begin = stored === null ? source.first : source.again(position.since);
    const query = position.next ?? begin;
    const { status, body } = await request({
      path: source.path,
      query,
      expected: position.next === null ? [] : [GONE],
    });
    if (status === GONE) {
      position = { ...position, next: null, listedFrom: position.listedFrom ?? position.since };
      continue;
    }
    const found = listAt(body, 'value').filter(isObject) as JsonObject[];
    const { listedFrom } = position;
    items.push(...found.filter((item) => listedFrom === null || (source.timeOf(item) ?? '') >= listedFrom));
    const link = textIn(body, '@odata.nextLink');
    const end = textIn(body, '@odata.deltaLink');
    const next = queryOf(link ?? end);
    if (next === null) throw unreadable('the list of changes has ended without a link to the next');
    const since = found.map(source.timeOf).reduce(newer, position.since);
    position = { next, since, listedFrom: link === null ? null : listedFrom };
    if (link === null) return { items, cursor: { ...position }, more: false };
  }
  return { items, cursor: { ...position }, more: true };
}

const newer = (newest: string, time: string | null): string => (time !== null && time > newest ? time : newest);

/** The parameters of a link: in its query, or in parentheses as `delta(token='x')`. Nothing else of a link is used. */
function queryOf(link: string | null): Record<string, string> | null {
  if (link === null || !URL.canParse(link)) return null;
  const { searchParams, pathname } = new URL(link);
  const inside = /\(token='([^']*)'\)$/.exec(decodeURIComponent(pathname))?.[1];
  const query = { ...Object.fromEntries(searchParams), ...(inside === undefined ? {} : { token: inside }) };
  return Object.keys(query).length === 0 ? null : query;
}

function positionOf(cursor: Json): DeltaPosition | null {
  const since = textIn(cursor, 'since');
  if (since === null) return null;
  const next = member(cursor, 'next');
  const entries = isObject(next) ? Object.entries(next).map(([name, value]) => [name, String(value)] as const) : null;
  return {
    since,
    listedFrom: textIn(cursor, 'listedFrom'),
    next: entries === null ? null : Object.fromEntries(entries),
  };
}
