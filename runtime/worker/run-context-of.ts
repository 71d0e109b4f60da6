import type { PreparedPlan } from '../../dsl';
import { isObject, type JsonObject } from '../../lib/json';
import { isTrial } from '../../lib/trial';
import type { RunContext } from '../core/state/run-context';
import type { Execution } from '../core/model';
import type { HostDeps } from './deps';

/** The context of a run, constant during an activation. */
export const runContextOf = (
  execution: Execution,
  plan: PreparedPlan,
  vars: JsonObject,
  link: HostDeps['stepLink'],
): RunContext => ({
  id: execution.id,
  workflowId: execution.workflowId,
  ...timesOf(execution, plan),
  env: execution.env,
  plan,
  vars,
  usesPins: execution.triggerType === 'manual' || isTrial(execution.triggerType),
  ...seenOf(execution),
  stepLink: (address, kind) => link(execution.id, address, kind),
});

/** Of a trial with a time of its own, these are simulated, too. */
function timesOf(
  { startedAt, deadlineAt }: Execution,
  { plan: { now, timeoutMs } }: PreparedPlan,
): Pick<RunContext, 'startedAt' | 'deadlineAt' | 'simulatesTime'> {
  if (now === undefined) return { startedAt, deadlineAt };
  return { startedAt: now, deadlineAt: timeoutMs === null ? null : now + timeoutMs, simulatesTime: true };
}

/** The trigger that steps see. A step test also has a fixture. */
function seenOf(execution: Execution): Pick<RunContext, 'trigger' | 'fixture'> {
  if (execution.triggerType !== 'test') return { trigger: execution.trigger };
  const { trigger, steps, loop, error } = execution.trigger;
  return {
    trigger: isObject(trigger) ? trigger : {},
    fixture: {
      steps: isObject(steps) ? steps : {},
      loop: isObject(loop) ? loop : undefined,
      error: error ?? undefined,
    },
  };
}
