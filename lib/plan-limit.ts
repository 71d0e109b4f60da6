import { AppError } from './errors';
import type { Limits } from './plans';

/** `workflows`: total number, a multiple of `active_workflows`. */
type Refusing = Exclude<keyof Limits, 'concurrent_executions' | 'history_days'> | 'workflows';

const ALLOWED: Readonly<Record<Refusing, string>> = {
  active_workflows: 'active workflows',
  workflows: 'workflows, enabled or not',
  executions_per_month: 'executions a month',
  members: 'members',
  knowledge_base_mb: 'MiB in knowledge bases',
  storage_mb: 'MiB of files',
  datasets: 'data sets',
};

/** Details of a refusal: what exceeds the limit, and what to do beside an upgrade. */
export interface PlanRefusal {
  readonly limit: Refusing;
  readonly max: number;
  readonly excess: string;
  readonly remedy: string;
}

/**
 * The error for plan limits: 403 `workflow_limit` for active workflows, as the public API requires, 402
 * `quota_exceeded` for others. The response has `limit` and `max`.
 */
export const planLimitReached = ({ limit, max, excess, remedy }: PlanRefusal): AppError =>
  new AppError(
    limit === 'active_workflows' ? 'workflow_limit' : 'quota_exceeded',
    `Your plan allows ${max} ${ALLOWED[limit]}, and ${excess}; ${remedy}, or upgrade the plan`,
    { body: { limit, max } },
  );
