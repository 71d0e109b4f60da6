import type { AlertCondition, AlertScope } from '../../contracts/alerts';
import { isOfRuns } from './rules/condition';
import type { Policy } from './rules/incident';
import type { RuleRecord } from './models';

/** A rule without its channels, which are encrypted. */
export interface Rule {
  readonly record: RuleRecord;
  readonly scope: AlertScope;
  readonly condition: AlertCondition;
  readonly policy: Policy;
}

/** A record with its parsed members, which were checked when it was saved. */
export const ruleOf = (record: RuleRecord): Rule => ({
  record,
  scope: JSON.parse(record.scope) as AlertScope,
  condition: JSON.parse(record.condition) as AlertCondition,
  policy: { quietMs: record.quiet_ms, mutedUntil: record.muted_until?.getTime() ?? null },
});

export const covers = ({ scope }: Pick<Rule, 'scope'>, workflowId: string): boolean =>
  scope.kind === 'tenant' || scope.workflow_ids.includes(workflowId);

/** True for a rule that names one of the workflows. */
export const namesAny = ({ scope }: Pick<Rule, 'scope'>, workflowIds: ReadonlySet<string>): boolean =>
  scope.kind === 'workflows' && scope.workflow_ids.some((id) => workflowIds.has(id));

/** True for enabled rules that count ended runs. */
export const countsRuns = ({ record, condition }: Rule): boolean => record.enabled && isOfRuns(condition);

/** True for enabled rules whose conditions are checked every while. */
export const isChecked = ({ record, condition }: Rule): boolean => record.enabled && !isOfRuns(condition);
