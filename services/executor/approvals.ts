import { CONTROL_LIMITS, type PlanStep, type PreparedControl, type PreparedPlan } from '../../dsl';
import type { Config } from '../../lib/config';
import { AppError } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import type { Principal } from '../../mixins/principal';
import type { Execution, Waiting } from '../../runtime/store/port';
import type { ApprovalRow } from './contract';

type Decision = 'approve' | 'reject';

/** Where this installation is, as far as it has been told; else as who asks has reached it (`origin`). */
type Address = Pick<Config, 'baseUrl' | 'port'> & { readonly origin?: string | undefined };

const PREFIX = 'approve-';

/** Where a decision is made with one click. The two ids are the capability. */
export function approvalUrl(config: Address, executionId: string, address: string, decision: Decision): string {
  const base = config.baseUrl ?? config.origin ?? `http://localhost:${config.port}`;
  return `${base}/api/v1/executions/${executionId}/approve/${encodeURIComponent(address)}?decision=${decision}`;
}

/** The approvals that a run waits for. */
export function approvalRows(
  config: Address,
  execution: Pick<Execution, 'id' | 'workflowId' | 'workflowName' | 'waiting'>,
): ApprovalRow[] {
  return execution.waiting.flatMap((waiting) => {
    const address = addressOfQuestion(waiting);
    if (address === null || waiting.step_id === null) return [];
    return [
      {
        execution_id: execution.id,
        workflow_id: execution.workflowId,
        workflow_name: execution.workflowName,
        step_id: waiting.step_id,
        address,
        message: waiting.message ?? '',
        form: waiting.form ?? null,
        since: new Date(waiting.since).toISOString(),
        until: waiting.until === null ? null : new Date(waiting.until).toISOString(),
        approve_url: approvalUrl(config, execution.id, address, 'approve'),
        reject_url: approvalUrl(config, execution.id, address, 'reject'),
      },
    ];
  });
}

/** The address of the step that a signal name decides on; null for a signal of another kind. */
export const approvalStep = (signal: string): string | null =>
  signal.startsWith(PREFIX) ? signal.slice(PREFIX.length) : null;

/** The address of the step that asks for a decision; null for a wait of another kind. A repeated question has a suffix. */
function addressOfQuestion({ kind, name, step_id }: Waiting): string | null {
  if (kind !== 'approval' || step_id === null) return null;
  return name === null ? step_id : withoutNumber(approvalStep(name) ?? step_id);
}

const withoutNumber = (named: string): string => named.split('#', 1)[0] as string;

/** What a decision of a step is about. */
export interface Question {
  /** The name of the message that answers it. */
  readonly name: string;
  /** E-mail addresses, user ids or roles; empty: anybody. */
  readonly approvers: readonly string[];
  readonly message: string;
  /** The step waits for the answer; else it will, when its turn comes. */
  readonly asked: boolean;
}

/**
 * What a step asks: what it waits for, or else, for an approval that has not been asked yet, what it will ask. A step
 * of another kind asks only when it was interrupted, or when one of its parts needs a decision. `named`: the address,
 * as it is or with the number of a question (`help#2`).
 * @throws AppError not_found without such a step, conflict where it asks nothing
 */
export function questionOf(plan: PreparedPlan, execution: Pick<Execution, 'id' | 'waiting'>, named: string): Question {
  const address = withoutNumber(named);
  const step = stepAt(plan, address);
  if (step === null) throw new AppError('not_found', `Execution ${execution.id} has no step ${address}`);
  const waiting = execution.waiting.find((one) => addressOfQuestion(one) === address);
  // Of a step that asks several times one question may be named by its number, and then only that one is meant.
  if (named !== address && waiting?.name !== `${PREFIX}${named}`)
    throw new AppError('conflict', `Step ${address} does not ask question ${named} now`);
  if (waiting !== undefined) {
    return {
      name: waiting.name ?? `${PREFIX}${address}`,
      approvers: waiting.approvers ?? [],
      message: waiting.message ?? '',
      asked: true,
    };
  }
  if (step.type !== 'approval') throw new AppError('conflict', `Step ${address} asks nothing that could be decided`);
  const { approvers } = step.config;
  // Approvers that an expression gives are nobody yet: an early decision must not go round them.
  const early = Array.isArray(approvers) ? approvers.map(String) : approvers === undefined ? [] : [String(approvers)];
  return { name: `${PREFIX}${address}`, approvers: early, message: step.name, asked: false };
}

/** An id, and in loops a number for each of them. */
const ADDRESS = /^([A-Za-z][\w-]{0,63})((?:\.(?:0|[1-9]\d{0,8}))*)$/;

/** The step of a plan that an address names; null when there is none in so many loops, or none of them turns so often. */
export function stepAt(plan: PreparedPlan, address: string): PlanStep | null {
  const [, id, numbers = ''] = ADDRESS.exec(address) ?? [];
  if (id === undefined) return null;
  for (const { def } of plan.byPath.values()) {
    if (def.id === id)
      return isTurnOf(loopsAround(plan, def.path), numbers.split('.').slice(1).map(Number)) ? def : null;
  }
  return null;
}

const isTurnOf = (most: readonly number[], numbers: readonly number[]): boolean =>
  most.length === numbers.length && numbers.every((number, index) => number < (most[index] as number));

/** How often each of the loops that a step of a plan stands in can turn at most, from the outermost. */
function loopsAround(plan: PreparedPlan, path: string): number[] {
  const parts = path.split('/');
  return parts.flatMap((part, index) => {
    const { control } = (part === 'steps' && plan.byPath.get(parts.slice(0, index).join('/'))) || {};
    return control?.kind === 'foreach' || control?.kind === 'while' ? [mostTurns(control)] : [];
  });
}

function mostTurns(loop: Extract<PreparedControl, { kind: 'foreach' | 'while' }>): number {
  if (loop.kind === 'while') return loop.maxIterations;
  const { items } = loop;
  if (items.kind === 'list') return items.items.length;
  return items.kind === 'constant' && Array.isArray(items.value) ? items.value.length : CONTROL_LIMITS.items;
}

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
