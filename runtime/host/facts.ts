import type { PreparedPlan } from '../../dsl';
import { isObject, type JsonObject } from '../../lib/json';
import type { RunFacts } from '../rules/scope';
import type { Execution } from '../store/port';
import type { HostDeps } from './deps';

/** What stays the same for as long as a run stays on a host. */
export const factsOf = (
  execution: Execution,
  plan: PreparedPlan,
  vars: JsonObject,
  link: HostDeps['approvalLink'],
): RunFacts => ({
  id: execution.id,
  workflowId: execution.workflowId,
  startedAt: execution.startedAt,
  deadlineAt: execution.deadlineAt,
  env: execution.env,
  plan,
  vars,
  pins: execution.triggerType === 'manual' || execution.triggerType === 'test',
  ...seenOf(execution),
  approvalLink: (address, decision) => link(execution.id, address, decision),
});

/** What the steps see of the start. A test brings also what stands in for the rest of a run. */
function seenOf(execution: Execution): Pick<RunFacts, 'trigger' | 'given'> {
  if (execution.triggerType !== 'test') return { trigger: execution.trigger };
  const { trigger, steps, loop, error } = execution.trigger;
  return {
    trigger: isObject(trigger) ? trigger : {},
    given: { steps: isObject(steps) ? steps : {}, loop: isObject(loop) ? loop : undefined, error: error ?? undefined },
  };
}
