import { addressOf } from '../../dsl';
import { SizedCache } from '../../lib/sized-cache';
import type { ActionContext } from '../../mixins/service';
import type { Execution } from '../../runtime/store/port';
import type { App } from '../app';
import type { Call, ResultOf } from '../catalogue';
import type { Feedback } from './feedback';
import type { Histories } from './histories';
import type { Records } from './records';
import type { Executions } from './rows';
import { chosen, type StepRow, stepRows } from './step-rows';
import { type Include, INCLUDES, stepView } from './step-views';
import { spansOf } from './timeline';
import { executionView } from './views';

const DEFAULT_PAGE = 1_000;
const MOST_SPANS = 5_000;
/** Characters of histories of ended runs that are kept for the next page; in memory they take some three times that. */
const KEPT = 16 * 1024 * 1024;
const KEPT_MS = 60_000;

/** A run with its steps. */
export function details(
  { clock }: Pick<App, 'clock'>,
  records: Records,
  executions: Executions,
  histories: Histories,
  feedback: Feedback,
) {
  const past = new SizedCache<readonly StepRow[]>({ most: KEPT, ttlMs: KEPT_MS, now: () => clock.now() });

  /** A history is read as a whole, whatever the page: of a run that has ended, once for several pages. */
  async function rowsOf(call: Call, { id, tenantId, planHash, status }: Execution): Promise<readonly StepRow[]> {
    const known = past.get(id);
    if (known !== undefined) return known;
    const [plan, { entries, size }] = await Promise.all([
      records.plan({ call }, tenantId, planHash),
      histories.all(id),
    ]);
    const rows = stepRows(plan, entries);
    if (status !== 'running') past.set(id, rows, size);
    return rows;
  }

  return {
    /** When each step of a run was at work, waited or paused, in the order in which that began. */
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
        spans: spans.slice(0, MOST_SPANS),
        truncated: spans.length > MOST_SPANS,
      };
    },

    /** A page of what there is, in the order of the document; only what is on the page is made into views. */
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

/** Words that nobody knows are passed over, as unknown fields of requests are. */
function includesIn(text: string): ReadonlySet<Include> {
  const words = new Set(text.split(','));
  return new Set(INCLUDES.filter((include) => words.has(include)));
}
