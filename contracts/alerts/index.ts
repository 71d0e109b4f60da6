import { contract } from '../contract';
import { id, typed } from '../rules';
import { createParams, updateParams } from './params';
import { AlertView, type EndedRun, NOTICE_KINDS, NotificationView, type WatchedEnds } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export * from './params';
export * from './views';

const time = { type: 'number', min: 0 } as const;

export const alertsContract = contract('alerts', {
  list: {
    rest: 'GET /api/v1/alerts',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Rules for notices, by name, and what holds of them',
    params: { ...pageParams, workflow_id: { ...id, optional: true } },
    result: s.listed(AlertView),
  },
  create: {
    rest: 'POST /api/v1/alerts',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a rule for notices',
    description:
      'A rule notifies when its condition begins to hold, again after each quiet period while it holds, and when it ends. A webhook without a `secret` gets one, which this answer shows once.',
    params: createParams,
    result: AlertView,
    errors: ['not_found', 'conflict', 'quota_exceeded'],
  },
  get: {
    rest: 'GET /api/v1/alerts/:id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A rule for notices, and what holds of it',
    params: { id },
    result: AlertView,
    errors: ['not_found'],
  },
  update: {
    rest: 'PUT /api/v1/alerts/:id',
    access: 'admin',
    integrators: true,
    summary: 'Replaces a rule for notices',
    description:
      'A channel with the `id` of one of before keeps its secret, and its URL where that is sent as it was shown. Another condition or scope begins anew: what held before is forgotten.',
    params: updateParams,
    result: AlertView,
    errors: ['not_found', 'conflict'],
  },
  remove: {
    rest: 'DELETE /api/v1/alerts/:id',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Deletes a rule for notices',
    params: { id },
    result: s.nothing,
    errors: ['not_found'],
  },
  mute: {
    rest: 'POST /api/v1/alerts/:id/mute',
    access: 'member',
    integrators: true,
    summary: 'Holds back the notices of a rule until a time; null: sends them again',
    params: { id, until: { type: 'string', min: 1, max: 40, nullable: true } },
    result: AlertView,
    errors: ['not_found', 'conflict'],
  },
  test: {
    rest: 'POST /api/v1/alerts/:id/test',
    status: 202,
    access: 'admin',
    integrators: true,
    summary: 'Sends a notice that is marked as a test to every channel of a rule',
    params: { id },
    result: s.object({ data: s.array(NotificationView) }),
    errors: ['not_found', 'rate_limited'],
  },
  notifications: {
    rest: 'GET /api/v1/alerts/:id/notifications',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Notices of a rule, newest first',
    params: {
      id,
      ...pageParams,
      cursor: { type: 'string', min: 1, max: 300, optional: true },
      kind: { type: 'enum', values: [...NOTICE_KINDS], optional: true },
    },
    result: s.listed(NotificationView).extend({ next_cursor: s.text.nullable() }),
    errors: ['not_found'],
  },
  /** Which ended runs of the tenant are to be observed. */
  watched: {
    access: 'internal',
    repeatable: true,
    summary: 'Which ended runs the rules of the tenant need',
    params: {},
    result: s.typed<WatchedEnds>(),
  },
  /** Stores an ended run for the rules of its tenant; repeating it changes nothing. */
  observe: {
    access: 'internal',
    repeatable: true,
    summary: 'Stores an ended run for the rules of its tenant',
    params: {
      run: typed<EndedRun>()({
        type: 'object',
        props: {
          id,
          workflow_id: id,
          workflow_name: { type: 'string', max: 1_000 },
          status: { type: 'enum', values: ['completed', 'failed'] },
          ended_at: time,
          duration_ms: time,
        },
      }),
    },
    result: s.nothing,
  },
});
