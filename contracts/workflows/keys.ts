import { actions } from '../contract';
import { id } from '../rules';
import { name } from './params';
import { WorkflowKeyView } from './views';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

export const keysActions = actions({
  create_key: {
    rest: 'POST /api/v1/workflows/:id/api-keys',
    status: 201,
    access: 'member',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a key for /run; its value is shown once',
    params: { id, name: { ...name, optional: true } },
    result: WorkflowKeyView.extend({
      key: s.text,
      note: s.text,
    }),
    errors: ['not_found', 'conflict'],
  },
  list_keys: {
    rest: 'GET /api/v1/workflows/:id/api-keys',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists keys of a workflow',
    params: { id, ...pageParams },
    result: s.listed(WorkflowKeyView),
    errors: ['not_found'],
  },
  revoke_key: {
    rest: 'DELETE /api/v1/workflows/:id/api-keys/:key_id',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Revokes a key',
    params: { id, key_id: id },
    result: s.nothing,
    errors: ['not_found'],
  },
  set_webhook_key: {
    rest: 'PUT /api/v1/workflows/:id/webhook-key',
    access: 'member',
    integrators: true,
    summary: 'Sets or generates the key of the webhook; its value is shown once',
    params: { id, key: { type: 'string', optional: true } },
    result: s.object({
      webhook_api_key: s.text,
      note: s.text,
    }),
    errors: ['not_found', 'conflict'],
  },
  clear_webhook_key: {
    rest: 'DELETE /api/v1/workflows/:id/webhook-key',
    status: 204,
    access: 'member',
    integrators: true,
    summary: 'Removes the key of the webhook',
    params: { id },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
});
