import { AppError } from '../../lib/errors';
import { type JsonObject, jsonSize } from '../../lib/json';
import { type Acting, type AuditChange, auditedBy, auditedIn, type AuditLog } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { Principal } from '../../mixins/principal';
import type { Execution } from '../../runtime/store/port';
import { approvalStep, mayDecide, type Question, questionOf } from './approvals';
import type { Messages } from './messages';
import { decisionChange, signalChange } from './on-record';
import type { Records } from './records';
import type { Executions } from './rows';

/** Messages are kept until the run has ended, and all are in memory whenever it looks for one. */
const MOST_MESSAGES = 1_000;
const MOST_DATA = 256 * 1024;

type Accepted = { accepted: true; execution_id: string; signal: string };
type Asking = Pick<ActionContext<'executions.signal'>, 'call' | 'principal' | 'tenantId' | 'origin' | 'requestId'>;

/** Who sends: a person, or a step of a run, which sends each message once. */
type Sender =
  | { readonly kind: 'person'; readonly principal: Principal | null }
  | { readonly kind: 'step'; readonly messageId: string; readonly by: string };

/** Signals and decisions on their way to runs. */
export const signalling = (audit: AuditLog, records: Records, executions: Executions, messages: Messages) => {
  /** What comes too late is refused, and nothing happens that could be on record. */
  const late = ({ status }: Execution): boolean => status !== 'running';
  const decided = async (execution: Execution, { name }: Question): Promise<boolean> =>
    late(execution) || (await messages.decision(execution.id, name)) !== null;

  /** On record first, unless it can do nothing. */
  const onRecord = (idle: boolean, who: Acting, change: AuditChange, act: () => Promise<void>): Promise<void> =>
    idle ? act() : audit.audited(who, change, act);

  async function send(
    ctx: Asking,
    execution: Execution,
    signal: string,
    data: JsonObject,
    sender: Sender,
  ): Promise<Accepted> {
    if (jsonSize(data) > MOST_DATA)
      throw new AppError('payload_too_large', `The 'data' of a signal has at most ${MOST_DATA} characters`);
    const address = approvalStep(signal);
    const by = sender.kind === 'step' ? sender.by : (sender.principal?.email ?? null);
    if (address !== null) {
      const question = await questionAt(ctx, execution, address);
      if (typeof data.approved !== 'boolean') throw undecided();
      if (!maySay(question, sender)) throw new AppError('forbidden', 'This approval names other approvers');
      assertRoom(execution, question);
      const change = decisionChange(execution, question.name, data, sender.kind === 'step' ? sender.by : null);
      await onRecord(await decided(execution, question), auditedBy(ctx), change, () =>
        messages.decide(execution.id, question.name, data, by, sender.kind === 'step'),
      );
    } else {
      assertRoom(execution);
      // What steps send each other is on record in their runs.
      const idle = sender.kind === 'step' || late(execution);
      await onRecord(idle, auditedBy(ctx), signalChange(execution, signal), () =>
        messages.signal(execution.id, signal, data, by, sender.kind === 'step' ? sender.messageId : undefined),
      );
    }
    return { accepted: true, execution_id: execution.id, signal };
  }

  /** What a step asks. @throws AppError not_found, conflict */
  async function questionAt(ctx: Pick<Asking, 'call'>, execution: Execution, address: string): Promise<Question> {
    return questionOf(await records.plan(ctx, execution.tenantId, execution.planHash), execution, address);
  }

  return {
    /** @throws AppError not_found, forbidden, conflict, execution_ended, already_decided */
    async signal(ctx: ActionContext<'executions.signal'>): Promise<Accepted> {
      const { id, signal, data = {} } = ctx.params;
      const execution = await executions.get(ctx.tenantId, id);
      return send(ctx, execution, signal, data, { kind: 'person', principal: ctx.principal });
    },

    /** The same for a step of another run of the tenant; telling it again changes nothing. */
    async deliver(ctx: ActionContext<'executions.deliver'>): Promise<Accepted> {
      const { id, signal, data, message_id: messageId, by } = ctx.params;
      const execution = await executions.get(ctx.tenantId, id);
      return send(ctx, execution, signal, data, { kind: 'step', messageId, by });
    },

    /** Decides by the two ids of a link, or tells what there is to decide. */
    async decideByLink(ctx: ActionContext<'executions.decide_by_link'>) {
      const { id, step_id, decision } = ctx.params;
      const execution = await executions.find(id);
      const question = await questionAt(ctx, execution, step_id);
      const shown = { execution_id: id, step_id, message: question.message };
      if (decision === undefined) return { ...shown, approved: await messages.decision(id, question.name) };
      assertRoom(execution, question);
      const approved = decision === 'approve';
      const change = decisionChange(execution, question.name, { approved }, null);
      await onRecord(await decided(execution, question), auditedIn(execution.tenantId, ctx), change, () =>
        messages.decide(id, question.name, { approved }, 'link'),
      );
      return { ...shown, approved };
    },
  };
};

/** A step decides only what anybody may: it is nobody's e-mail address. */
const maySay = (question: Question, sender: Sender): boolean =>
  sender.kind === 'person' ? mayDecide(question, sender.principal) : question.approvers.length === 0;

/** In a loop there are as many decisions to be made as anybody likes to name, so those made early count as signals do. */
function assertRoom({ id, inbox }: Execution, question?: Question): void {
  if (question?.asked === true || inbox < MOST_MESSAGES) return;
  throw new AppError('conflict', `Execution ${id} has had ${MOST_MESSAGES} signals; it takes no more`);
}

const undecided = (): AppError =>
  new AppError('invalid_request', 'A decision needs data.approved, true or false', {
    details: [{ path: 'data.approved', message: 'must be true or false' }],
  });
