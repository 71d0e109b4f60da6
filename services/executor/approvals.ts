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

/** Whether a person may decide: anybody, unless the step names approvers (by e-mail address or role). */
export function mayDecide(waiting: Waiting | undefined, principal: Principal | null): boolean {
  const approvers = waiting?.approvers ?? [];
  if (approvers.length === 0 || principal === null) return true;
  return approvers.some(
    (approver) => approver.toLowerCase() === principal.email?.toLowerCase() || approver === principal.role,
  );
}

/** The decision that a stored message carries. */
export const approvedBy = (data: JsonObject): boolean => data.approved === true;
