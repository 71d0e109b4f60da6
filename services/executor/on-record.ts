import type { JsonObject } from '../../lib/json';
import type { AuditChange, AuditTarget } from '../../mixins/audit';
import type { Execution } from '../../runtime/store/port';

const LONGEST_COMMENT = 1_000;

type Named = Pick<Execution, 'id' | 'workflowName'>;

/** Everything that is done to a run, decisions of its steps too, is found by the run's id. */
export const executionTarget = ({ id, workflowName }: Named): AuditTarget => ({
  type: 'execution',
  id,
  name: workflowName,
});

/** A signal on record: what it carries is the run's to show. */
export const signalChange = (execution: Named, signal: string): AuditChange => ({
  action: 'execution.signal',
  target: executionTarget(execution),
  after: { signal },
});

/** A decision on record. `by`: the run whose step decides, where it is no person. */
export const decisionChange = (
  execution: Named,
  question: string,
  data: JsonObject,
  by: string | null,
): AuditChange => ({
  action: 'approval.decide',
  target: executionTarget(execution),
  after: {
    signal: question,
    approved: data.approved === true,
    ...(typeof data.comment === 'string' ? { comment: data.comment.slice(0, LONGEST_COMMENT) } : {}),
    ...(by === null ? {} : { by }),
  },
});
