import type { ParamsOf } from '../../../contracts/catalogue';
import type { ActionContext } from '../../../mixins/service';
import { AppError, errorCode } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { readRow, type StoredRow } from '../rules/read-row';

type Context = Pick<ActionContext<'evaluations.add_from_runs'>, 'params' | 'call' | 'tenantId'>;
type FromRunsParams = ParamsOf<'evaluations.add_from_runs'>;

const DEFAULT_RUNS = 100;
const PAGE = 200;
const AT_ONCE = 10;

interface Skipped {
  readonly execution_id: string;
  readonly reason: string;
}

/** The rows that past runs make, and the runs that make none. @throws AppError invalid_request, invalid_query */
export async function rowsFromRuns(ctx: Context): Promise<{ rows: StoredRow[]; skipped: Skipped[] }> {
  const { params } = ctx;
  if ((params.query === undefined) === (params.execution_ids === undefined))
    throw new AppError('invalid_request', "Give either 'query' or 'execution_ids'", {
      details: [{ path: 'query', message: 'give either a query or a list of execution_ids' }],
    });
  const ids = params.execution_ids === undefined ? await found(ctx) : [...new Set(params.execution_ids)];
  const chosen = await rated(ctx, ids);
  const rows: StoredRow[] = [];
  const skipped: Skipped[] = ids
    .filter((id) => !chosen.has(id))
    .map((id) => ({ execution_id: id, reason: 'no such feedback' }));
  for (const batch of batches(ids.filter((id) => chosen.has(id)))) {
    for (const made of await Promise.all(batch.map((id) => rowOf(ctx, id)))) {
      if ('reason' in made) skipped.push(made);
      else rows.push(made);
    }
  }
  return { rows, skipped };
}

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += AT_ONCE) yield ids.slice(at, at + AT_ONCE);
}

/** The runs that match the query, newest first. */
async function found({ params, call }: Context): Promise<string[]> {
  const { query, limit = DEFAULT_RUNS } = params;
  const ids: string[] = [];
  let cursor: string | undefined;
  let offset = 0;
  while (ids.length < limit) {
    const page = cursor === undefined ? { offset } : { cursor };
    const asked = { query, limit: Math.min(PAGE, limit - ids.length), ...page };
    const { data, next_cursor } = await call('executions.visibility', asked);
    ids.push(...data.map(({ id }) => id));
    // A list with an order of its own has no cursor.
    if (data.length < asked.limit) break;
    offset += data.length;
    cursor = next_cursor ?? undefined;
  }
  return ids;
}

/** Those with the feedback that is asked for; all without one. */
async function rated({ params, call, tenantId }: Context, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rating, step_id } = params;
  if (rating === undefined) return new Set(ids);
  const asked = { ids: [...ids], rating, ...(step_id === undefined ? {} : { step_id }) };
  return new Set((await call('executions.rated', asked, { asServiceOf: tenantId })).ids);
}

async function rowOf({ params, call }: Context, id: string): Promise<StoredRow | Skipped> {
  try {
    const run = await call('executions.get', { id });
    if (run.status !== 'completed') return { execution_id: id, reason: `the run is ${run.status}, not completed` };
    const read = readRow({ id, ...contentOf(params, run), tags: params.tags }, 'row');
    return Array.isArray(read) ? { execution_id: id, reason: read[0]?.message ?? '' } : (read as StoredRow);
  } catch (fault) {
    if (errorCode(fault) === 'not_found') return { execution_id: id, reason: 'there is no such run' };
    throw fault;
  }
}

const contentOf = (
  { take = 'input', expected = 'output' }: FromRunsParams,
  run: { readonly trigger: Json; readonly input: Json; readonly output: Json },
) => ({
  input: take === 'input' ? run.input : run.trigger,
  ...(expected === 'output' ? { expected: run.output } : {}),
});
