import type { Model, QueryFilter } from 'mongoose';
import { AppError } from '../../lib/errors';
import { isUuid, timeId } from '../../lib/ids';
import { parseInstant } from '../../lib/instant';
import { type AuditRecord, eventOf, placesOf } from '../../mixins/audit/model';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import { mapSliced } from '../../lib/time-slices';
import type { AuditEventView, AuditFilter } from '../../contracts/audit';

/** The order of the indexes, so that only the page is read. */
const NEWEST_FIRST = { id: -1 } as const;

/** Index terms are compared by their occurrences, counted up to this number. */
const MAX_COUNTED = 200;

/** `cursor`: the last id of the previous page. */
interface EventQuery extends AuditFilter {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
}

/** Newest first. The cost of a page by cursor does not depend on its position; a page by offset reads the skipped events. */
export async function listEvents(
  events: Model<AuditRecord>,
  tenantId: string,
  query: EventQuery,
): Promise<{ data: AuditEventView[]; next_cursor: string | null }> {
  const { cursor, offset, limit } = query;
  const own = ofTenant(events, tenantId);
  const terms = await rarestFirst(own, termsOf(query));
  const records = own.each(filterOf(tenantId, terms, query), {
    sort: NEWEST_FIRST,
    offset: cursor === undefined ? offset : 0,
    limit: limit + 1,
  });
  const found = await mapSliced(records, tenantId, eventOf);
  const data = found.slice(0, limit);
  return { data, next_cursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
}

const termsOf = ({ actor, action, target }: AuditFilter): string[] => [
  ...(target === undefined ? [] : [`target:${target}`]),
  ...(actor === undefined ? [] : [`actor:${actor.includes('@') ? actor.toLowerCase() : actor}`]),
  ...(action === undefined ? [] : [`action:${action}`]),
];

/** The index is scanned for the first term; the other terms only filter the result. */
async function rarestFirst(own: TenantScope<AuditRecord>, terms: readonly string[]): Promise<string[]> {
  if (terms.length < 2) return [...terms];
  const options = { sort: NEWEST_FIRST, limit: MAX_COUNTED, fields: ['_id'] };
  const counted = await Promise.all(
    terms.map(async (term) => ({ term, count: (await own.find({ words: term }, options)).length })),
  );
  return counted.sort((a, b) => a.count - b.count).map(({ term }) => term);
}

/** Limited to ids of the chain: other records are not events. */
function filterOf(
  tenantId: string,
  terms: readonly string[],
  { from, to, cursor }: EventQuery,
): QueryFilter<AuditRecord> {
  const bounds = {
    ...(from === undefined ? {} : { $gte: lowestIdAt(parseInstant('from', from)) }),
    ...upperBound(to, cursor),
  };
  return {
    _id: placesOf(tenantId),
    ...(terms.length === 0 ? {} : { words: { $all: terms } }),
    ...(Object.keys(bounds).length === 0 ? {} : { id: bounds }),
  };
}

function upperBound(to: string | undefined, cursor: string | undefined): { $lt?: string } {
  if (cursor !== undefined && !isUuid(cursor))
    throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous response');
  const ends = [
    ...(cursor === undefined ? [] : [cursor]),
    ...(to === undefined ? [] : [lowestIdAt(parseInstant('to', to) + 1)]),
  ].sort();
  return ends[0] === undefined ? {} : { $lt: ends[0] };
}

/** The lowest id of a millisecond: ids start with their time. */
const lowestIdAt = (ms: number): string => timeId(ms).slice(0, 13);
