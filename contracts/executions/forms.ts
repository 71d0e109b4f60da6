import { actions } from '../contract';
import type { Json, JsonObject } from '../../lib/json';
import { id } from '../rules';
import * as s from '../../lib/schema';
import { address, waitMs } from './params';
import type { ExecutionStatus } from './views';

/** A page that a run waits for. */
export interface WaitingForm {
  /** The address of its step, with the number of a repeated question. */
  question: string;
  title: string;
  description: string;
  submit: string;
  /** `link`: it is never the next page of a run. */
  access: 'page' | 'link';
  /** JSON Schema of the fields. */
  fields: Json;
}

/** A run as the person sees it who fills in its forms. */
interface FormRun {
  tenant_id: string;
  workflow_id: string;
  workflow_name: string;
  status: ExecutionStatus;
  output: Json;
  /** The form that was asked for, or the next page of the run; null while it waits for none. */
  page: WaitingForm | null;
  /** The form that was asked for has been filled in. */
  is_answered: boolean;
  /** Further pages may follow. */
  may_continue: boolean;
}

export const formActions = actions({
  /** The next page of a run, or that of the step `question`; waits for it as long as `wait_ms`. */
  form_page: {
    access: 'internal',
    repeatable: true,
    summary: 'The form that a run waits for, for the person who fills it in',
    params: { id, question: { ...address, optional: true }, wait_ms: waitMs },
    result: s.typed<FormRun>(),
    errors: ['not_found'],
  },
  /** Values that fit the form. Sent again, the same values change nothing. */
  submit_form: {
    access: 'internal',
    repeatable: true,
    summary: 'Completes a step that waits for a form',
    params: { id, question: address, values: { type: 'object' } },
    result: s.typed<{ accepted: true; values: JsonObject }>(),
    errors: ['not_found', 'conflict', 'execution_ended', 'payload_too_large'],
  },
});
