import type { JsonObject } from '../../lib/json';
import type { AuditChange, AuditTarget } from '../../mixins/audit';
import type { Execution, PauseRequest } from '../../runtime/core/model';

const MAX_COMMENT_CHARS = 1_000;

type AuditedRun = Pick<Execution, 'id' | 'workflowName'>;

/** The target of all events of a run, including decisions of its steps. */
export const executionTarget = ({ id, workflowName }: AuditedRun): AuditTarget => ({
  type: 'execution',
  id,
  name: workflowName,
});

/** The change of a signal. The data of the signal is not recorded. */
export const signalChange = (execution: AuditedRun, signal: string): AuditChange => ({
  action: 'execution.signal',
  target: executionTarget(execution),
  after: { signal },
});

/** The change of a form that was filled in. Its values are not recorded. */
export const formChange = (execution: AuditedRun, question: string): AuditChange => ({
  action: 'execution.form',
  target: executionTarget(execution),
  after: { form: question },
});

/** The change of a pause or its end. */
export const pauseChange = (
  execution: AuditedRun,
  { kind, reason }: Pick<PauseRequest, 'kind' | 'reason'>,
): AuditChange => ({
  action: `execution.${kind}`,
  target: executionTarget(execution),
  after: { paused: kind === 'pause', reason },
});

/** The change of a decision. `by`: the run whose step decides; null for a user. */
export const decisionChange = (
  execution: AuditedRun,
  question: string,
  data: JsonObject,
  by: string | null,
): AuditChange => ({
  action: 'approval.decide',
  target: executionTarget(execution),
  after: {
    signal: question,
    approved: data.approved === true,
    ...(typeof data.comment === 'string' ? { comment: data.comment.slice(0, MAX_COMMENT_CHARS) } : {}),
    ...(by === null ? {} : { by }),
  },
});
