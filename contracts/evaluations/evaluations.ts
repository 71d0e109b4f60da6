import * as s from '../../lib/schema';
import { actions } from '../contract';
import { id } from '../rules';
import { compareParams, createEvaluationParams, listEvaluationsParams, resultsParams } from './params';
import { EvaluationComparison, EvaluationDetail, EvaluationResult, EvaluationRow } from './views';

const NEXT_CURSOR = s.text.nullable().about('For the page that follows; null after the last.');

export const evaluationsActions = actions({
  list: {
    rest: 'GET /api/v1/evaluations',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Evaluations of workflows, newest first',
    params: listEvaluationsParams,
    result: s.listed(EvaluationRow).extend({ next_cursor: NEXT_CURSOR }),
  },
  create: {
    rest: 'POST /api/v1/evaluations',
    status: 202,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Runs a workflow once for each row of a data set, and scores the outputs',
    description:
      "`version`: `live` unless given, `draft`, or the number of a saved version. `input_as: trigger` passes the rows' inputs as the whole trigger instead of its body. `writes`: `suppress` unless given; `allow` lets steps change something outside, `pinned` refuses a document with such a step that has no output in `pins`. `metrics` are described in the guide to evaluations; `gates` are conditions such as `metrics.exact.mean >= 0.9`. `budget`: no row begins after the runs and judges have used that much.",
    params: createEvaluationParams,
    result: EvaluationDetail,
    errors: [
      'not_found',
      'forbidden',
      'invalid_dsl',
      'unknown_secret',
      'payload_too_large',
      'quota_exceeded',
      'conflict',
    ],
  },
  get: {
    rest: 'GET /api/v1/evaluations/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'An evaluation with its progress, scores and gates',
    params: { id },
    result: EvaluationDetail,
    errors: ['not_found'],
  },
  results: {
    rest: 'GET /api/v1/evaluations/:id/results',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Rows of an evaluation with their runs, outputs and scores',
    description:
      '`outcome`: `passed`, `failed`, or `error` (a run or metric that failed). `failed_metric`: rows that do not pass it. `sort`: `row` unless given; `score` lists the lowest first.',
    params: resultsParams,
    result: s.listed(EvaluationResult).extend({ next_cursor: NEXT_CURSOR }),
    errors: ['not_found'],
  },
  cancel: {
    rest: 'POST /api/v1/evaluations/:id/cancel',
    status: 202,
    access: 'member',
    integrators: true,
    summary: 'Cancels an evaluation and its runs',
    description: 'Results so far are kept.',
    params: { id },
    result: EvaluationDetail,
    errors: ['not_found', 'conflict'],
  },
  rerun_failed: {
    rest: 'POST /api/v1/evaluations/:id/rerun-failed',
    status: 202,
    access: 'member',
    integrators: true,
    summary: 'Runs the rows again whose run or metric failed',
    description: 'Of an evaluation that has ended. Rows that were skipped or cancelled are run, too.',
    params: { id },
    result: EvaluationDetail,
    errors: ['not_found', 'conflict'],
  },
  compare: {
    rest: 'GET /api/v1/evaluations/:id/compare/:other',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Compares two evaluations over the same data set, row by row',
    description: '`limit`: rows that got better, and rows that got worse, 20 unless given.',
    params: compareParams,
    result: EvaluationComparison,
    errors: ['not_found', 'conflict'],
  },
  remove: {
    rest: 'DELETE /api/v1/evaluations/:id',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Deletes an evaluation that has ended',
    params: { id },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
});
