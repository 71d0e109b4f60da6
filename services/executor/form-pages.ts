import { AppError } from '../../lib/errors';
import { formStepKey } from '../../lib/form-page-key';
import { jsonSize } from '../../lib/json';
import { auditedIn } from '../../mixins/audit';
import { pageSteps } from '../../mixins/form-steps';
import type { ActionContext, Handlers, ServiceContext } from '../../mixins/service';
import type { WaitingForm } from '../../contracts/executions/forms';
import { awaitedMessageName, formMessageName } from '../../runtime/core/decide/waits';
import type { Entry } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import { type Address, baseOf, questionOfForm } from './approvals';
import { formChange } from './audit-changes';
import type { ExecutionQueries } from './execution-queries';
import type { JournalReader } from './journal-reader';
import type { Messages } from './messages';
import type { Records } from './records';
import type { StepIndexes } from './step-indexes';

/** The values are held in memory by the host, like the data of a signal. */
const MAX_VALUES_CHARS = 256 * 1024;
/** Time until the document is read again: a host writes what a run waits for when it releases the run. */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 500;
/** Forms of a run in memory that are read from its journal. */
const MAX_OPEN = 1_000;

/** The link that opens the page of a step. It is the capability. */
export const formUrl = (app: Pick<App, 'keys'>, at: Address, executionId: string, question: string): string =>
  `${baseOf(at)}/forms/steps/${formStepKey(app.keys.ids, executionId, question)}`;

interface FormParts {
  readonly executions: ExecutionQueries;
  readonly messages: Messages;
  readonly journals: JournalReader;
  readonly indexes: StepIndexes;
}

/** Actions for the people who fill in the forms of runs. Their callers have checked that they may. */
export function formPages(
  app: App,
  records: Records,
  { executions, messages, journals, indexes }: FormParts,
): Pick<Handlers<'executions'>, 'form_page' | 'submit_form'> {
  /** Questions that are answered, among these. */
  async function answered(executionId: string, questions: readonly string[]): Promise<ReadonlySet<string>> {
    const names = new Map(questions.map((question) => [`${executionId}:${formMessageName(question)}`, question]));
    const found = await records.collections.signals
      .find({ _id: { $in: [...names.keys()] } }, { projection: { _id: 1 } })
      .map(({ _id }) => names.get(_id) as string)
      .toArray();
    return new Set(found);
  }

  /** The forms that a run waits for, the first one first. While it is in memory, only its journal has them. */
  async function formsOf({ call }: Pick<ServiceContext, 'call'>, execution: Execution): Promise<WaitingForm[]> {
    if (execution.status !== 'running') return [];
    if (execution.owner === null) return storedForms(execution);
    const { steps } = await indexes.of(call, execution);
    const waiting = [...steps.values()].filter(
      ({ step, summary }) => step.def.type === 'wait_for_form' && summary.status === 'waiting',
    );
    // The last entry of a step that waits is the one with which it began to.
    const records = waiting.slice(0, MAX_OPEN).flatMap((step) => step.records.at(-1) ?? []);
    const paths = new Set(waiting.map(({ path }) => path));
    const isWanted = (entry: Entry): boolean => entry.kind === 'step.waiting' && paths.has(entry.path);
    const entries = await journals.entriesOf(execution.id, records, isWanted, true);
    return entries.flatMap((entry) => formOfEntry(entry) ?? []);
  }

  async function runAt(ctx: ActionContext<'executions.form_page'>) {
    const { id, question } = ctx.params;
    const execution = await executions.find(id);
    const { plan } = await records.plan(ctx, execution.tenantId, execution.planHash);
    const steps = pageSteps(plan);
    const waiting = await formsOf(ctx, execution);
    const asked = question === undefined ? steps.map((step) => step.id) : [question];
    const done = await answered(id, [...asked, ...waiting.map((form) => form.question)]);
    const open = waiting.filter((form) => !done.has(form.question));
    const page = open.find((form) => (question === undefined ? form.access === 'page' : form.question === question));
    return {
      tenant_id: execution.tenantId,
      workflow_id: execution.workflowId,
      workflow_name: execution.workflowName,
      status: execution.status,
      output: execution.output,
      page: page ?? null,
      is_answered: question !== undefined && done.has(question),
      may_continue: execution.status === 'running' && steps.some((step) => step.isInLoop || !done.has(step.id)),
    };
  }

  return {
    async form_page(ctx) {
      const { id, question, wait_ms } = ctx.params;
      const deadline = app.clock.now() + wait_ms;
      for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 2, MAX_POLL_MS)) {
        const run = await runAt(ctx);
        const left = deadline - app.clock.now();
        if (run.page !== null || question !== undefined || !run.may_continue || left <= 0 || app.stopping.aborted)
          return run;
        await records.runEnds.ended(id, Math.min(pause, left)).finished;
      }
    },

    async submit_form(ctx) {
      const { id, question, values } = ctx.params;
      if (jsonSize(values, MAX_VALUES_CHARS) > MAX_VALUES_CHARS)
        throw new AppError('payload_too_large', `The answers have at most ${MAX_VALUES_CHARS} characters`);
      const execution = await executions.find(id);
      const name = formMessageName(question);
      const isKnown = (await answered(id, [question])).has(question);
      const isRunning = execution.status === 'running';
      if (!isKnown && isRunning && !(await formsOf(ctx, execution)).some((form) => form.question === question))
        throw new AppError('conflict', 'This form is not open');
      const answer = (): Promise<void> => messages.answer(id, name, values);
      // What changes nothing is not recorded.
      if (isKnown || !isRunning) await answer();
      else await app.audit.audited(auditedIn(execution.tenantId, ctx), formChange(execution, question), answer);
      return { accepted: true, values };
    },
  };
}

/** The forms in the document of a run that no host has in memory. One that it had no room for cannot be shown. */
const storedForms = ({ waiting }: Pick<Execution, 'waiting'>): WaitingForm[] =>
  [...waiting]
    .sort((a, b) => a.since - b.since)
    .flatMap((wait) => {
      const question = questionOfForm(wait);
      const { message: title, form: fields, page } = wait;
      if (question === null || title === undefined || fields === undefined || page === undefined) return [];
      return [{ question, title, fields, ...page }];
    });

/** The form of the entry with which a step began to wait; null for any other one. */
function formOfEntry(entry: Entry): WaitingForm | null {
  if (entry.kind !== 'step.waiting' || entry.wait.kind !== 'form') return null;
  const { path, wait, attempt, note } = entry;
  const { title, description, submit, access, form: fields } = wait;
  const name = awaitedMessageName(path, {
    kind: 'waiting',
    attempt,
    failures: 0,
    since: entry.at,
    wait,
    rerun: entry.rerun === true,
    ...(note === undefined ? {} : { note }),
  });
  const question = questionOfForm({ kind: 'form', name });
  return question === null ? null : { question, title, description, submit, access, fields };
}
