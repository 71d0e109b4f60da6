import { addressOf } from '../../dsl';
import type { ActionContext } from '../../mixins/service';
import type { ResultOf } from '../catalogue';
import type { Feedback } from './feedback';
import type { Histories } from './histories';
import type { Records } from './records';
import type { Executions } from './rows';
import { stepRows } from './step-rows';
import { type Include, INCLUDES, stepView } from './step-views';
import { executionView } from './views';

const DEFAULT_PAGE = 1_000;

/** A run with its steps. */
export const details = (records: Records, executions: Executions, histories: Histories, feedback: Feedback) => ({
  /** A page of what there is, in the order of the document; only what is on the page is made into views. */
  async detail(ctx: ActionContext<'executions.detail'>): Promise<ResultOf<'executions.detail'>> {
    const { id, include = '', limit = DEFAULT_PAGE, offset = 0, ...filter } = ctx.params;
    const execution = await executions.get(ctx.tenantId, id);
    const plan = await records.plan(ctx, ctx.tenantId, execution.planHash);
    const [history, rated] = await Promise.all([histories.all(id), feedback.of(ctx.tenantId, id)]);
    const rows = stepRows(plan, history, filter);
    const includes = includesIn(include);
    const steps = rows.slice(offset, offset + limit).map((row) => ({
      ...stepView(row, includes),
      feedback: rated.get(addressOf(row.path)) ?? null,
    }));
    return { execution: executionView(execution), steps, total: rows.length, limit, offset };
  },
});

/** Words that nobody knows are passed over, as unknown fields of requests are. */
function includesIn(text: string): ReadonlySet<Include> {
  const words = new Set(text.split(','));
  return new Set(INCLUDES.filter((include) => words.has(include)));
}
