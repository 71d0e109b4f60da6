import { AppError } from '../../lib/errors';
import { type Json, type JsonObject, jsonSize } from '../../lib/json';
import { type Acting, type AuditChange, auditedBy, auditedIn } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { Principal } from '../../lib/principal';
import type { PreparedPlan } from '../../dsl';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { AnswerForm } from './answer-form';
import { approvalStep, formStep, mayDecide, type Question, questionOf, stepAt, withoutNumber } from './approvals';
import { assertForm } from './decision-form';
import { unawaited } from './awaited-signals';
import type { ResultOf } from '../../contracts/catalogue';
import type { Decisions } from './decisions';
import type { Messages } from './messages';
import { decisionChange, signalChange } from './audit-changes';
import type { Records } from './records';
import { type ExecutionQueries, notFound } from './execution-queries';

/** Signals that no step has consumed: they are read at each activation, and the host keeps them in memory. */
const MAX_UNCONSUMED = 1_000;
const MAX_DATA_CHARS = 256 * 1024;

interface SendingParts {
  readonly executions: ExecutionQueries;
  readonly messages: Messages;
  readonly decisions: Decisions;
  readonly answerForm: AnswerForm;
}

type Accepted = { accepted: true; execution_id: string; signal: string };
type SignalContext = Pick<
  ActionContext<'executions.signal'>,
  'call' | 'principal' | 'tenantId' | 'origin' | 'requestId'
>;

/** A person, or a step of a run, which sends each message once. */
type Sender =
  | { readonly kind: 'person'; readonly principal: Principal | null }
  | { readonly kind: 'step'; readonly messageId: string; readonly by: string };

/** Actions that send signals and decisions to runs. */
export const signalActions = (
  { audit, compute }: Pick<App, 'audit' | 'compute'>,
  records: Records,
  { executions, messages, decisions, answerForm }: SendingParts,
) => {
  /** True for an ended run. It accepts no signals, so no audit event is written. */
  const late = ({ status }: Execution): boolean => status !== 'running';
  const decided = async (execution: Execution, { name }: Question): Promise<boolean> =>
    late(execution) || (await messages.decision(execution.id, name)) !== null;

  /** Writes the audit event first, unless the call changes nothing. */
  const onRecord = (idle: boolean, who: Acting, change: AuditChange, act: () => Promise<void>): Promise<void> =>
    idle ? act() : audit.audited(who, change, act);

  /** The decision is durable: a crash before this leaves it out of the history of approvals, not out of the run. */
  async function afterDecision(
    execution: Execution,
    { name, address, message }: Question,
    { approved, comment }: JsonObject,
    by: string | null,
  ): Promise<void> {
    await decisions.put({
      tenant_id: execution.tenantId,
      execution_id: execution.id,
      workflow_id: execution.workflowId,
      workflow_name: execution.workflowName,
      name,
      address,
      message,
      approved: approved === true,
      comment: typeof comment === 'string' && comment !== '' ? comment : null,
      by,
    });
    messages.publishDecision(execution, address, approved === true);
  }

  async function send(
    ctx: SignalContext,
    execution: Execution,
    signal: string,
    data: JsonObject,
    sender: Sender,
  ): Promise<Accepted> {
    if (jsonSize(data) > MAX_DATA_CHARS)
      throw new AppError('payload_too_large', `The 'data' of a signal has at most ${MAX_DATA_CHARS} characters`);
    const address = approvalStep(signal);
    const by = sender.kind === 'step' ? sender.by : (sender.principal?.email ?? null);
    const question = formStep(signal);
    if (question !== null && answersForm(await records.plan(ctx, execution.tenantId, execution.planHash), question)) {
      await answerForm(ctx, execution, { question, values: data, checkedAs: 'data', who: auditedBy(ctx) });
    } else if (address !== null) {
      const question = await questionAt(ctx, execution, address);
      if (typeof data.approved !== 'boolean') throw undecided();
      if (!mayDecide(question, sender.kind === 'step' ? null : sender.principal)) throw otherApprovers();
      const idle = await decided(execution, question);
      if (!idle) await assertForm(compute.lane(execution.tenantId), question.form, data, 'data.form');
      await assertRoom(execution, question);
      const change = decisionChange(execution, question.name, data, sender.kind === 'step' ? sender.by : null);
      await onRecord(idle, auditedBy(ctx), change, () =>
        messages.decide(execution.id, question.name, data, by, sender.kind === 'step'),
      );
      if (!idle) await afterDecision(execution, question, data, by);
    } else {
      await assertRoom(execution);
      // What steps send each other is on record in their runs.
      const idle = sender.kind === 'step' || late(execution);
      await onRecord(idle, auditedBy(ctx), signalChange(execution, signal), () =>
        messages.signal(execution.id, signal, data, by, sender.kind === 'step' ? sender.messageId : undefined),
      );
    }
    return { accepted: true, execution_id: execution.id, signal };
  }

  /** What a step asks. @throws AppError not_found, conflict */
  async function questionAt(
    ctx: Pick<SignalContext, 'call'>,
    execution: Execution,
    address: string,
  ): Promise<Question> {
    return questionOf(await records.plan(ctx, execution.tenantId, execution.planHash), execution, address);
  }

  /** Limits decisions that arrive before their question like signals, because a loop has an unbounded number of addresses. */
  async function assertRoom({ id, signals }: Execution, question?: Question): Promise<void> {
    if (question?.asked === true || signals < MAX_UNCONSUMED) return;
    if ((await records.store.recountSignals(id, signals)) < MAX_UNCONSUMED) return;
    const message = `Execution ${id} has ${MAX_UNCONSUMED} signals that no step has consumed, which is the limit`;
    throw new AppError('conflict', `${message}; send further ones when it has consumed some`);
  }

  return {
    /** @throws AppError not_found, forbidden, conflict, execution_ended, already_decided */
    async signal(ctx: ActionContext<'executions.signal'>): Promise<ResultOf<'executions.signal'>> {
      const { id, signal, data = {} } = ctx.params;
      const execution = await executions.get(ctx.tenantId, id);
      const accepted = await send(ctx, execution, signal, data, { kind: 'person', principal: ctx.principal });
      if (approvalStep(signal) !== null) return accepted;
      const prepared = await records.plan(ctx, ctx.tenantId, execution.planHash);
      const warnings = answersForm(prepared, formStep(signal)) ? [] : unawaited(prepared.plan, signal);
      return warnings.length === 0 ? accepted : { ...accepted, warnings };
    },

    /** The same for a step of another run of the tenant. Idempotent by `message_id`. */
    async deliver(ctx: ActionContext<'executions.deliver'>): Promise<Accepted> {
      const { id, signal, data, message_id: messageId, by } = ctx.params;
      const execution = await executions.get(ctx.tenantId, id);
      return send(ctx, execution, signal, data, { kind: 'step', messageId, by });
    },

    /** Decides by the two ids of a link, or returns the question. Named approvers must sign in. */
    async decideByLink(ctx: ActionContext<'executions.decide_by_link'>) {
      const { id, step_id, decision, form, comment } = ctx.params;
      const execution = await executions.find(id);
      const person = ctx.principal?.kind === 'service' ? null : ctx.principal;
      if (person !== null && person.tenant_id !== execution.tenantId) throw notFound(id);
      const question = await questionAt(ctx, execution, step_id);
      if (!mayDecide(question, person)) throw person === null ? signInFirst() : otherApprovers();
      const shown = { execution_id: id, step_id: question.address, message: question.message };
      if (decision === undefined) {
        const known = await messages.decision(id, question.name);
        const asked = known === null && question.form !== undefined && question.form !== null;
        return { ...shown, ...(asked ? { form: question.form as Json } : {}), approved: known };
      }
      const approved = decision === 'approve';
      const data: JsonObject = {
        approved,
        ...(form === undefined ? {} : { form }),
        ...(comment === undefined ? {} : { comment }),
      };
      const idle = await decided(execution, question);
      if (!idle) await assertForm(compute.lane(execution.tenantId), question.form, data, 'form');
      await assertRoom(execution, question);
      const change = decisionChange(execution, question.name, data, null);
      const who = person === null ? auditedIn(execution.tenantId, ctx) : auditedBy(ctx);
      await onRecord(idle, who, change, () => messages.decide(id, question.name, data, person?.email ?? 'link'));
      if (!idle) await afterDecision(execution, question, data, person?.email ?? 'link');
      return { ...shown, approved };
    },
  };
};

/** Any other signal may have such a name, too. */
const answersForm = (plan: PreparedPlan, question: string | null): boolean =>
  question !== null && stepAt(plan, withoutNumber(question))?.type === 'wait_for_form';

const otherApprovers = (): AppError =>
  new AppError('forbidden', 'This approval names its approvers, and the signed-in user is not one of them');

const signInFirst = (): AppError =>
  new AppError(
    'unauthenticated',
    'This approval names its approvers: sign in as one of them, and decide with Authorization: Bearer <token or API key>',
  );

const undecided = (): AppError =>
  new AppError('invalid_request', 'A decision needs data.approved, true or false', {
    details: [{ path: 'data.approved', message: 'must be true or false' }],
  });
