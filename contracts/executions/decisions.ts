import { actions } from '../contract';
import { address, approvalsParams, decidedParams, decideParams, signalParams } from './params';
import { DecisionRow } from './decision-row';
import { ApprovalRow } from './approval-row';
import { id } from '../rules';
import { ErrorDetail } from '../shared';
import * as s from '../../lib/schema';

export const decisionsActions = actions({
  signal: {
    rest: 'POST /api/v1/executions/:id/signal',
    status: 202,
    access: 'member',
    runs: true,
    idempotency: 'replay',
    integrators: true,
    summary: 'Delivers a signal',
    description:
      '`approve-STEP` decides an approval: `data` has `approved`, and may have `comment` and `form`. `form-STEP` fills in a form that the run waits for, with `data` as its values. Any other name goes to the steps that wait for it.',
    params: signalParams,
    result: s.object({
      accepted: s.constant(true),
      execution_id: s.text,
      signal: s.text,
      warnings: s.array(ErrorDetail).optional().about('That no step of the workflow waits for it, though it is kept.'),
    }),
    errors: ['not_found', 'forbidden', 'conflict', 'execution_ended', 'already_decided', 'payload_too_large'],
  },
  approvals: {
    rest: 'GET /api/v1/approvals',
    access: 'viewer',
    paged: true,
    given: ['origin'],
    repeatable: true,
    integrators: true,
    summary: 'Waiting steps of the tenant; by kind, or those that the caller may decide',
    description:
      'The steps that wait, a page at a time, those of the oldest runs first. `kind`: left out, all of them. `mine`: only what the caller may decide. `origin`: where the caller has reached the API, for links where BASE_URL is not set.',
    params: approvalsParams,
    result: s.listed(ApprovalRow),
  },
  approvals_count: {
    rest: 'GET /api/v1/approvals/count',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'How many approvals wait, and how many of them the caller may decide',
    params: {},
    result: s.object({
      mine: s.number,
      all: s.number,
      more: s.boolean.about('There are more than 1,000; the numbers are those of the first.'),
    }),
  },
  decided: {
    rest: 'GET /api/v1/approvals/history',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Decided approvals, newest first',
    description:
      'Who decided which question, when, and with which comment; as long as the run is kept. `mine`: decided by the caller alone. Decisions of earlier versions are in the audit log.',
    params: decidedParams,
    result: s.object({
      data: s.array(DecisionRow),
      limit: s.number,
      next_cursor: s.text.nullable().about('For the page that follows; null after the last.'),
    }),
  },
  decide_by_link: {
    access: 'public',
    integrators: true,
    summary: 'Decides an approval by the two ids of its link; named approvers have to sign in',
    description:
      'The pair of ids is the capability, unless the step names approvers, who have to be signed in. `step_id`: the address of the step. Without `decision`: what there is to decide. `form`: what is filled in.',
    params: decideParams,
    result: s.object({
      execution_id: s.text,
      step_id: s.text,
      message: s.text,
      form: s.json.optional().about('The JSON Schema of the form; absent without one, and once it is decided.'),
      approved: s.boolean.nullable(),
    }),
    errors: ['not_found', 'forbidden', 'conflict', 'execution_ended', 'already_decided'],
  },
  feedback: {
    rest: 'POST /api/v1/executions/:id/steps/:step_id/feedback',
    access: 'member',
    runs: true,
    integrators: true,
    summary: 'Rates a step',
    params: {
      id: id,
      step_id: address,
      rating: { type: 'string', min: 1, max: 50 },
      comment: { type: 'string', max: 10_000, optional: true },
    },
    result: s.object({
      execution_id: s.text,
      step_id: s.text,
      rating: s.text,
      comment: s.text.nullable(),
    }),
    errors: ['not_found', 'conflict'],
  },
});
