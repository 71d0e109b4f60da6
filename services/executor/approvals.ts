import { CONTROL_LIMITS, type PlanStep, type PreparedControl, type PreparedPlan } from '../../dsl';
import type { Config } from '../../lib/config';
import { AppError } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import type { Principal } from '../../lib/principal';
import { formMessageName } from '../../runtime/core/decide/waits';
import type { Execution, Waiting } from '../../runtime/core/model';
import { hasExpressions } from './decision-form';

type Decision = 'approve' | 'reject';

/** The base URL of this installation: as configured, else as used by the caller (`origin`). */
export type Address = Pick<Config, 'baseUrl' | 'port'> & { readonly origin?: string | undefined };

const PREFIX = 'approve-';
const FORM_PREFIX = 'form-';
/** Items of a loop that an error message lists. */
const MAX_CHOICES = 20;

/** The address under which links are opened. */
export const baseOf = ({ baseUrl, origin, port }: Address): string => baseUrl ?? origin ?? `http://localhost:${port}`;

/** The links that decide with one click. The two ids are the capability. */
export function approvalUrl(config: Address, executionId: string, address: string, decision: Decision): string {
  return `${baseOf(config)}/api/v1/executions/${executionId}/approve/${encodeURIComponent(address)}?decision=${decision}`;
}

/** The address of the step that a decision's signal name contains; null for any other signal. */
export const approvalStep = (signal: string): string | null =>
  signal.startsWith(PREFIX) ? signal.slice(PREFIX.length) : null;

/** The question that a signal would answer as a form; null for other signals. */
export const formStep = (signal: string): string | null =>
  signal.startsWith(FORM_PREFIX) ? signal.slice(FORM_PREFIX.length) : null;

/** The address of the step that waits for a decision; null for any other wait. A repeated question has a suffix. */
export function addressOfQuestion({ kind, name, step_id }: Pick<Waiting, 'kind' | 'name' | 'step_id'>): string | null {
  if (kind !== 'approval' || step_id === null) return null;
  return name === null ? step_id : withoutNumber(approvalStep(name) ?? step_id);
}

/** The address of a step that waits for a form, with the number of a repeated question; null for any other wait. */
export const questionOfForm = ({ kind, name }: Pick<Waiting, 'kind' | 'name'>): string | null =>
  kind === 'form' && name !== null ? name.slice(formMessageName('').length) : null;

export const withoutNumber = (named: string): string => named.split('#', 1)[0] as string;

/** The question of a step that a decision answers. */
export interface Question {
  /** The step's id, in loops with the item numbers. */
  readonly address: string;
  /** The name of the message that answers it. */
  readonly name: string;
  /** E-mail addresses, user ids or roles; empty: any caller. */
  readonly approvers: readonly string[];
  readonly message: string;
  /** The JSON Schema of the approval form; null without a form, undefined until the step asks. */
  readonly form: Json | undefined;
  /** True when the step is waiting for the answer; false before it is reached. */
  readonly asked: boolean;
}

/** A question and the address of its step. */
type WaitingRun = Pick<Execution, 'id' | 'waiting'>;

/**
 * The question of a step: the one it waits for, or the future question of an approval that is not reached yet. Steps of
 * other types ask only after an interruption, or when a checkpoint needs a decision. `named`: the address, optionally
 * with the number of a question (`help#2`); in loops also the bare id, while exactly one item waits.
 * @throws AppError not_found without such a step, conflict when it has no question or the bare id is ambiguous
 */
export function questionOf(plan: PreparedPlan, execution: WaitingRun, named: string): Question {
  const address = addressOfNamed(plan, execution, withoutNumber(named));
  const step = stepAt(plan, address);
  if (step === null) throw new AppError('not_found', `Execution ${execution.id} has no step ${address}`);
  const waiting = execution.waiting.find((one) => addressOfQuestion(one) === address);
  // A number selects one question of a step that asks several times.
  if (named !== withoutNumber(named) && waiting?.name !== `${PREFIX}${named}`)
    throw new AppError('conflict', `Step ${address} does not ask question ${named} now`);
  if (waiting === undefined && step.type !== 'approval')
    throw new AppError('conflict', `Step ${address} asks nothing that could be decided`);
  const planned = step.type === 'approval' ? step.config : {};
  return {
    address,
    name: waiting?.name ?? `${PREFIX}${address}`,
    approvers: waiting === undefined ? plannedApprovers(planned) : (waiting.approvers ?? []),
    message: waiting === undefined ? step.name : (waiting.message ?? ''),
    form: waiting?.form === undefined ? plannedForm(planned) : waiting.form,
    asked: waiting !== undefined,
  };
}

/** Approvers from an expression are unknown before the step runs and match no caller, so early decisions are rejected. */
const plannedApprovers = ({ approvers }: PlanStep['config']): string[] =>
  Array.isArray(approvers) ? approvers.map(String) : approvers === undefined ? [] : [String(approvers)];

const plannedForm = ({ form = null }: PlanStep['config']): Question['form'] =>
  hasExpressions(form) ? undefined : form;

/** Resolves a name to an address: the name itself, or for the bare id of a step in loops the only item that waits. */
function addressOfNamed(plan: PreparedPlan, { id, waiting }: WaitingRun, named: string): string {
  if (stepAt(plan, named) !== null || !isStepInLoops(plan, named)) return named;
  const choices = waiting.flatMap((one) => (one.step_id === named ? (addressOfQuestion(one) ?? []) : []));
  return onlyOf(choices, id, named, 'waits');
}

/** True when the step exists and is in a loop, so that its address needs item numbers. */
export const isStepInLoops = (plan: PreparedPlan, id: string): boolean =>
  [...plan.byPath.values()].some(({ def }) => def.id === id && loopsAround(plan, def.path).length > 0);

/** The only waiting item of a step in loops. @throws AppError conflict with the candidates unless there is exactly one */
export function onlyOf(choices: readonly string[], executionId: string, stepId: string, what: string): string {
  const [only] = choices;
  if (only !== undefined && choices.length === 1) return only;
  const shown = choices.slice(0, MAX_CHOICES);
  const more = choices.length > shown.length ? ' and others' : '';
  const which = only === undefined ? `none of its items ${what}` : `name one of ${shown.join(', ')}${more}`;
  throw new AppError('conflict', `Step ${stepId} of execution ${executionId} is inside a loop: ${which}`, {
    body: { choices: shown },
  });
}

/** An id, in loops with a number for each loop. */
const ADDRESS = /^([A-Za-z][\w-]{0,63})((?:\.(?:0|[1-9]\d{0,8}))*)$/;

/** The step of an address; null when the plan has no such step, or a number exceeds the limit of its loop. */
export function stepAt(plan: PreparedPlan, address: string): PlanStep | null {
  const [, id, numbers = ''] = ADDRESS.exec(address) ?? [];
  if (id === undefined) return null;
  for (const { def } of plan.byPath.values()) {
    if (def.id === id)
      return isTurnOf(loopsAround(plan, def.path), numbers.split('.').slice(1).map(Number)) ? def : null;
  }
  return null;
}

const isTurnOf = (max: readonly number[], numbers: readonly number[]): boolean =>
  max.length === numbers.length && numbers.every((number, index) => number < (max[index] as number));

/** The maximum iterations of each loop around a step, outermost first. */
function loopsAround(plan: PreparedPlan, path: string): number[] {
  const parts = path.split('/');
  return parts.flatMap((part, index) => {
    const { control } = (part === 'steps' && plan.byPath.get(parts.slice(0, index).join('/'))) || {};
    return control?.kind === 'foreach' || control?.kind === 'while' ? [maxTurns(control)] : [];
  });
}

function maxTurns(loop: Extract<PreparedControl, { kind: 'foreach' | 'while' }>): number {
  if (loop.kind === 'while') return loop.maxIterations;
  const { items } = loop;
  if (items.kind === 'list') return items.items.length;
  return items.kind === 'constant' && Array.isArray(items.value) ? items.value.length : CONTROL_LIMITS.items;
}

/**
 * True when a caller may decide: any caller if the step has no approvers, else only those. A service is never an approver,
 * and a viewer decides nothing.
 */
export function mayDecide({ approvers }: Pick<Question, 'approvers'>, principal: Principal | null): boolean {
  if (principal?.role === 'viewer') return false;
  if (approvers.length === 0) return true;
  if (principal === null || principal.kind === 'service') return false;
  const { email, user_id, role } = principal;
  return approvers.some(
    (approver) => approver.toLowerCase() === email?.toLowerCase() || approver === user_id || approver === role,
  );
}

/** The decision in a stored message. */
export const approvedBy = (data: JsonObject): boolean => data.approved === true;
