import { literalPattern } from '../../lib/text-patterns';
import { WAITING_KINDS } from '../../contracts/executions/params';
import type { Filter } from 'mongodb';
import type { Json } from '../../lib/json';
import type { Principal } from '../../lib/principal';
import { type Address, addressOfQuestion, approvalUrl, mayDecide, questionOfForm } from './approvals';
import type { ApprovalRow } from '../../contracts/executions/approval-row';
import type { WaitingStep } from './execution-queries';

/** Characters of messages and forms in one answer: forms are parsed, and written again, on the main thread. */
const MAX_TEXT_CHARS = 512 * 1024;

/** Which steps that wait are listed. */
interface WaitingSelection {
  readonly kind: (typeof WAITING_KINDS)[number] | 'all';
  /** Those alone that this caller may decide. */
  readonly mine: Principal | null;
}

/** The filter of a selection, on rows of `Executions.waitingSteps`. */
export function waitingFilter({ kind, mine }: WaitingSelection): Filter<WaitingStep> {
  if (mine === null) return { 'waiting.kind': kind === 'all' ? { $in: [...WAITING_KINDS] } : kind };
  // Only decisions are a caller's: any other kind has none. A viewer decides nothing.
  const isAsked = mine.role !== 'viewer' && (kind === 'all' || kind === 'approval');
  const kinds = { $in: isAsked ? ['approval'] : [] };
  return { 'waiting.kind': kinds, $or: [...OPEN_TO_ALL, { 'waiting.approvers': { $in: namesOf(mine) } }] };
}

const OPEN_TO_ALL = [{ 'waiting.approvers': { $exists: false } }, { 'waiting.approvers': { $size: 0 } }];

/** What approvers may call a caller; e-mail addresses are compared without case. */
const namesOf = ({ email, user_id, role }: Principal): (string | RegExp)[] => [
  role,
  ...(user_id === null ? [] : [user_id]),
  ...(email === null ? [] : [new RegExp(`^${literalPattern(email)}$`, 'i')]),
];

/** Rows as a caller sees them: links only where it may decide. Text that exceeds the limit of an answer is left out. */
export function waitingRows(
  at: Address,
  steps: readonly WaitingStep[],
  caller: Principal | null,
  formLink: (executionId: string, question: string) => string,
): ApprovalRow[] {
  let left = MAX_TEXT_CHARS;
  return steps.flatMap(({ _id: id, workflow_id, workflow_name, waiting }) => {
    const { step_id, kind, name, message = '', approvers = [], form } = waiting;
    if (step_id === null) return [];
    left -= message.length + (form?.length ?? 0);
    const truncated = left < 0 || ((kind === 'approval' || kind === 'form') && waiting.message === undefined);
    const address = addressOfQuestion(waiting) ?? questionOfForm(waiting) ?? step_id;
    const mine = kind === 'approval' && mayDecide({ approvers }, caller);
    return [
      {
        execution_id: id,
        workflow_id,
        workflow_name,
        step_id,
        address,
        kind,
        signal: kind === 'signal' || kind === 'approval' ? name : null,
        message: truncated ? '' : message,
        form: truncated || form === undefined ? null : (JSON.parse(form) as Json),
        truncated,
        approvers,
        mine,
        since: waiting.since.toISOString(),
        until: waiting.until?.toISOString() ?? null,
        ...decisionUrls(at, id, mine ? address : null),
        form_url: formUrlOf(waiting, caller, (question) => formLink(id, question)),
      },
    ];
  });
}

/** `address`: null where the caller may not decide. */
const decisionUrls = (at: Address, id: string, address: string | null) => ({
  approve_url: address === null ? null : approvalUrl(at, id, address, 'approve'),
  reject_url: address === null ? null : approvalUrl(at, id, address, 'reject'),
});

/** Null for what is no form, and for viewers: the link is for an answer. */
function formUrlOf(
  waiting: Pick<WaitingStep['waiting'], 'kind' | 'name'>,
  caller: Principal | null,
  formLink: (question: string) => string,
): string | null {
  const question = questionOfForm(waiting);
  return question === null || caller?.role === 'viewer' ? null : formLink(question);
}
