import type { WaitingForm } from '../../contracts/executions/forms';
import { AppError } from '../../lib/errors';
import { type JsonObject, jsonSize } from '../../lib/json';
import { checkSliced } from '../../lib/json-schema/check-sliced';
import type { Acting } from '../../mixins/audit';
import type { ServiceContext } from '../../mixins/service';
import { formMessageName } from '../../runtime/core/decide/waits';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import { formChange } from './audit-changes';
import type { Messages } from './messages';
import type { OpenForms } from './open-forms';
import type { Records } from './records';

/** The values are held in memory by the host, like the data of a signal. */
const MAX_VALUES_CHARS = 256 * 1024;

/** Values for the form of a step. `question`: the address of the step, with the number of a repeated question. */
interface FormAnswer {
  readonly question: string;
  readonly values: JsonObject;
  /** Where the values are in the request; null when they have been checked. */
  readonly checkedAs: string | null;
  readonly who: Acting;
}

export type AnswerForm = (ctx: Pick<ServiceContext, 'call'>, run: Execution, answer: FormAnswer) => Promise<void>;

/** Completes a step that waits for a form, once; sent again, the same values change nothing. */
export const answerFormOf =
  (
    { audit, compute }: Pick<App, 'audit' | 'compute'>,
    { store }: Pick<Records, 'store'>,
    messages: Messages,
    openForms: OpenForms,
  ): AnswerForm =>
  /** @throws AppError conflict, execution_ended, invalid_request, payload_too_large, unavailable */
  async (ctx, execution, { question, values, checkedAs, who }) => {
    if (jsonSize(values, MAX_VALUES_CHARS) > MAX_VALUES_CHARS)
      throw new AppError('payload_too_large', `The answers have at most ${MAX_VALUES_CHARS} characters`);
    const name = formMessageName(question);
    const answer = (): Promise<void> => messages.answer(execution.id, name, values);
    // What changes nothing is not recorded.
    if (execution.status !== 'running' || (await store.findMessage(execution.id, name)) !== null) return answer();
    const form = (await openForms(ctx, execution)).find((open) => open.question === question);
    if (form === undefined) throw new AppError('conflict', 'This form is not open');
    if (checkedAs !== null) await assertFits(form, values);
    await audit.audited(who, formChange(execution, question), answer);

    async function assertFits({ fields }: WaitingForm, given: JsonObject): Promise<void> {
      const use = { schema: fields, unknownKeywords: 'ignore', root: checkedAs ?? '' } as const;
      const { of, faults } = await checkSliced(compute.lane(execution.tenantId), use, given);
      // Steps refuse an invalid schema.
      if (of === 'schema' || faults.length === 0) return;
      throw new AppError('invalid_request', 'The form is not filled in as its step asks; see details', {
        details: [...faults],
      });
    }
  };
