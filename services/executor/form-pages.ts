import { formStepKey } from '../../lib/form-page-key';
import { auditedIn } from '../../mixins/audit';
import { pageSteps } from '../../mixins/form-steps';
import type { ActionContext, Handlers } from '../../mixins/service';
import { formMessageName } from '../../runtime/core/decide/waits';
import type { App } from '../app';
import type { AnswerForm } from './answer-form';
import { type Address, baseOf } from './approvals';
import type { ExecutionQueries } from './execution-queries';
import type { OpenForms } from './open-forms';
import type { Records } from './records';

/** Time until the document is read again: a host writes what a run waits for when it releases the run. */
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 500;

/** The link that opens the page of a step. It is the capability. */
export const formUrl = (app: Pick<App, 'keys'>, at: Address, executionId: string, question: string): string =>
  `${baseOf(at)}/forms/steps/${formStepKey(app.keys.ids, executionId, question)}`;

interface FormParts {
  readonly executions: ExecutionQueries;
  readonly openForms: OpenForms;
  readonly answerForm: AnswerForm;
}

/** Actions for the people who fill in the forms of runs. Their callers have checked that they may. */
export function formPages(
  app: App,
  records: Records,
  { executions, openForms, answerForm }: FormParts,
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

  async function runAt(ctx: ActionContext<'executions.form_page'>) {
    const { id, question } = ctx.params;
    const execution = await executions.find(id);
    const { plan } = await records.plan(ctx, execution.tenantId, execution.planHash);
    const steps = pageSteps(plan);
    const waiting = await openForms(ctx, execution);
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
      const execution = await executions.find(id);
      const who = auditedIn(execution.tenantId, ctx);
      await answerForm(ctx, execution, { question, values, checkedAs: null, who });
      return { accepted: true, values };
    },
  };
}
