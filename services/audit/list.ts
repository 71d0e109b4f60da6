import type { Model, QueryFilter } from 'mongoose';
import { AppError } from '../../lib/errors';
import { isUuid, timeId } from '../../lib/ids';
import { type AuditRecord, eventOf, placesOf } from '../../mixins/audit/model';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import type { AuditEventView, AuditFilter } from '../../contracts/audit';

/** The order of the indexes, so that no more is read than is asked for. */
const NEWEST_FIRST = { id: -1 } as const;

/** Occurrences of a word are counted up to this number; a word with more is frequent. */
const COUNTED = 200;

/** A page of the log. `cursor`: where the page before ended. */
interface Page extends AuditFilter {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
}

/** Newest first. A page by cursor costs the same wherever it is; one by offset reads what it passes over. */
export async function page(
  events: Model<AuditRecord>,
  tenantId: string,
  asked: Page,
): Promise<{ data: AuditEventView[]; next: string | null }> {
  const own = ofTenant(events, tenantId);
  const words = await rarestFirst(own, wordsIn(asked));
  const records = await own.find(filterOf(tenantId, words, asked), {
    sort: NEWEST_FIRST,
    skip: asked.cursor === undefined ? asked.offset : 0,
    limit: asked.limit + 1,
  });
  const shown = records.slice(0, asked.limit);
  return { data: shown.map(eventOf), next: records.length > asked.limit ? (shown.at(-1)?.id ?? null) : null };
}

const wordsIn = ({ actor, action, target }: AuditFilter): string[] => [
  ...(target === undefined ? [] : [`target:${target}`]),
  ...(actor === undefined ? [] : [`actor:${actor.includes('@') ? actor.toLowerCase() : actor}`]),
  ...(action === undefined ? [] : [`action:${action}`]),
];

/** The first word bounds the walk through the index, the others only sieve what it finds. */
async function rarestFirst(own: TenantScope<AuditRecord>, words: readonly string[]): Promise<string[]> {
  if (words.length < 2) return [...words];
  const counted = await Promise.all(
    words.map(async (word) => ({
      word,
      found: (await own.find({ words: word }, { sort: NEWEST_FIRST, limit: COUNTED, fields: ['_id'] })).length,
    })),
  );
  return counted.sort((a, b) => a.found - b.found).map(({ word }) => word);
}

/** Records outside the chain are not events of this log. */
function filterOf(tenantId: string, words: readonly string[], { from, to, cursor }: Page): QueryFilter<AuditRecord> {
  const bounds = {
    ...(from === undefined ? {} : { $gte: earliestAt(instant('from', from)) }),
    ...upper(to, cursor),
  };
  return {
    _id: placesOf(tenantId),
    ...(words.length === 0 ? {} : { words: { $all: words } }),
    ...(Object.keys(bounds).length === 0 ? {} : { id: bounds }),
  };
}

function upper(to: string | undefined, cursor: string | undefined): { $lt?: string } {
  if (cursor !== undefined && !isUuid(cursor))
    throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer');
  const ends = [
    ...(cursor === undefined ? [] : [cursor]),
    ...(to === undefined ? [] : [earliestAt(instant('to', to) + 1)]),
  ].sort();
  return ends[0] === undefined ? {} : { $lt: ends[0] };
}

/** The lowest id of a millisecond: ids begin with their time. */
const earliestAt = (ms: number): string => timeId(ms).slice(0, 13);

const INSTANT = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** Milliseconds of an RFC 3339 time, or of the beginning of a day in UTC. @throws AppError invalid_request */
function instant(name: 'from' | 'to', text: string): number {
  const ms = INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  // Ids have 48 bits for their time.
  if (ms >= 0 && ms < 2 ** 47) return ms;
  const message = `'${name}' must be a time such as 2026-11-21T13:30:00Z, or a day such as 2026-11-21`;
  throw new AppError('invalid_request', message, { details: [{ path: name, message }] });
}
