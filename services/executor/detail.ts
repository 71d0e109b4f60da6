import { addressOf } from '../../dsl';
import { createCache } from '../../lib/cache';
import type { ActionContext } from '../../mixins/service';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { Call, ResultOf } from '../../contracts/catalogue';
import type { Feedback } from './feedback';
import type { JournalReader } from './journal-reader';
import type { Records } from './records';
import type { ExecutionQueries } from './execution-queries';
import { chosen, type StepRow, stepRows } from './step-rows';
import { type Include, INCLUDES, stepView } from './step-views';
import { spansOf } from './timeline';
import { executionView } from './views';

const DEFAULT_PAGE = 1_000;
const MAX_SPANS = 5_000;
/** Cache size for ended runs, in characters of their journals; in memory they take about three times as many bytes. */
const KEPT = 16 * 1024 * 1024;
const KEPT_MS = 60_000;

/** A run with its steps. */
export function details(
  { clock }: Pick<App, 'clock'>,
  records: Records,
  executions: ExecutionQueries,
  journals: JournalReader,
  feedback: Feedback,
) {
  const past = createCache<readonly StepRow[]>({ maxSize: KEPT, ttlMs: KEPT_MS, now: () => clock.now() });

  /** Reads the whole journal for any page. The rows of ended runs are cached for the next pages. */
  async function rowsOf(call: Call, { id, tenantId, planHash, status }: Execution): Promise<readonly StepRow[]> {
    const known = past.get(id);
    if (known !== undefined) return known;
    const [plan, { entries, size }] = await Promise.all([records.plan({ call }, tenantId, planHash), journals.all(id)]);
    const rows = stepRows(plan, entries);
    if (status !== 'running') past.set(id, rows, { size: Math.max(1, size) });
    return rows;
  }

  return {
    /** The periods in which each step of a run ran, waited or was paused, sorted by start. */
    async timeline(ctx: ActionContext<'executions.timeline'>): Promise<ResultOf<'executions.timeline'>> {
      const execution = await executions.get(ctx.tenantId, ctx.params.id);
      const spans = (await rowsOf(ctx.call, execution)).flatMap(spansOf);
      spans.sort((a, b) => a.started_at.localeCompare(b.started_at));
      const { id, status, started_at, ended_at } = executionView(execution);
      return {
        execution_id: id,
        status,
        started_at,
        ended_at,
        spans: spans.slice(0, MAX_SPANS),
        truncated: spans.length > MAX_SPANS,
      };
    },

    /** The addresses of a step in the journal of a run; several for a step in a loop. */
    async addressesOf(call: Call, execution: Execution, stepId: string): Promise<string[]> {
      return chosen(await rowsOf(call, execution), { step_id: stepId }).map(({ path }) => addressOf(path));
    },

    /** A page of the steps, in the order of the document. */
    async detail(ctx: ActionContext<'executions.detail'>): Promise<ResultOf<'executions.detail'>> {
      const { id, include = '', limit = DEFAULT_PAGE, offset = 0, ...filter } = ctx.params;
      const execution = await executions.get(ctx.tenantId, id);
      const [all, rated] = await Promise.all([rowsOf(ctx.call, execution), feedback.of(ctx.tenantId, id)]);
      const rows = chosen(all, filter);
      const includes = includesIn(include);
      const steps = rows.slice(offset, offset + limit).map((row) => ({
        ...stepView(row, includes),
        feedback: rated.get(addressOf(row.path)) ?? null,
      }));
      return { execution: executionView(execution), steps, total: rows.length, limit, offset };
    },
  };
}

/** Unknown words are ignored, like unknown fields of requests. */
function includesIn(text: string): ReadonlySet<Include> {
  const words = new Set(text.split(','));
  return new Set(INCLUDES.filter((include) => words.has(include)));
}
