import type { PlanStep } from '../../dsl';
import type { Config } from '../../lib/config';
import type { JsonObject } from '../../lib/json';
import type { Principal } from '../../mixins/principal';
import type { Execution, Waiting } from '../../runtime/store/port';
import type { ApprovalRow } from './contract';

type Decision = 'approve' | 'reject';

/** Where a decision is made with one click. The two ids are the capability. */
export function approvalUrl(config: Config, executionId: string, stepId: string, decision: Decision): string {
  const base = config.baseUrl ?? `http://localhost:${config.port}`;
  return `${base}/api/v1/executions/${executionId}/approve/${encodeURIComponent(stepId)}?decision=${decision}`;
}

/** The approvals that a run waits for. */
export function approvalRows(config: Config, execution: Execution): ApprovalRow[] {
  return execution.waiting.flatMap((waiting) =>
    waiting.kind !== 'approval' || waiting.step_id === null
      ? []
      : [
          {
            execution_id: execution.id,
            workflow_id: execution.workflowId,
            workflow_name: execution.workflowName,
            step_id: waiting.step_id,
            message: waiting.message ?? '',
            form: waiting.form ?? null,
            since: new Date(waiting.since).toISOString(),
            until: waiting.until === null ? null : new Date(waiting.until).toISOString(),
            approve_url: approvalUrl(config, execution.id, waiting.step_id, 'approve'),
            reject_url: approvalUrl(config, execution.id, waiting.step_id, 'reject'),
          },
        ],
  );
}

/** The step that a signal name decides on; null for a signal of another kind. */
export const approvalStep = (signal: string): string | null =>
  signal.startsWith('approve-') ? signal.slice('approve-'.length) : null;

/** What a decision of a step is about. */
export interface Question {
  /** The name of the message that answers it. */
  readonly name: string;
  /** E-mail addresses, user ids or roles; empty: anybody. */
  readonly approvers: readonly string[];
  readonly message: string;
}

/**
 * What a step asks: what it waits for, or else, for an approval that has not been asked yet, what it will ask. A step
 * of another kind asks only when it was interrupted. Null when there is nothing to decide, and will not be.
 */
export function questionOf(step: PlanStep, waiting: readonly Waiting[]): Question | null {
  const asked = waiting.find((one) => one.step_id === step.id && one.kind === 'approval');
  if (asked !== undefined) {
    return {
      name: asked.name ?? approvalName(step.id),
      approvers: asked.approvers ?? [],
      message: asked.message ?? '',
    };
  }
  if (step.type !== 'approval') return null;
  const { approvers } = step.config;
  // Approvers that an expression gives are nobody yet: an early decision must not go round them.
  const early = Array.isArray(approvers) ? approvers.map(String) : approvers === undefined ? [] : [String(approvers)];
  return { name: approvalName(step.id), approvers: early, message: step.name };
}

const approvalName = (stepId: string): string => `approve-${stepId}`;

/** Whether a person may decide: anybody, unless the step names approvers. Who holds the link may, whoever he is. */
export function mayDecide({ approvers }: Question, principal: Principal | null): boolean {
  if (approvers.length === 0 || principal === null) return true;
  const { email, user_id, role } = principal;
  return approvers.some(
    (approver) => approver.toLowerCase() === email?.toLowerCase() || approver === user_id || approver === role,
  );
}

/** The decision that a stored message carries. */
export const approvedBy = (data: JsonObject): boolean => data.approved === true;
