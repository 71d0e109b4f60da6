import { MAX_DELIVERIES_PER_CALL, seen } from './params';
import { DELIVERY_OUTCOMES, DELIVERY_SOURCES, DeliveryDetail, DeliveryRow, DeliveryView, Redelivered } from './views';
import { actions } from '../contract';
import { id } from '../rules';
import { START_ERRORS } from '../shared';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

const filters = {
  ...pageParams,
  cursor: { ...id, optional: true },
  outcome: { type: 'enum', values: [...DELIVERY_OUTCOMES], optional: true },
  source: { type: 'enum', values: [...DELIVERY_SOURCES], optional: true },
} as const;

export const deliveryActions = actions({
  all_deliveries: {
    rest: 'GET /api/v1/deliveries',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Webhook deliveries of all workflows, newest first',
    params: { ...filters, workflow_id: { ...id, optional: true } },
    result: s.listed(DeliveryRow).extend({ next_cursor: s.text.nullable() }),
  },
  deliveries: {
    rest: 'GET /api/v1/workflows/:id/deliveries',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Webhook deliveries of a workflow, newest first',
    params: { id, ...filters },
    result: s.listed(DeliveryView).extend({ next_cursor: s.text.nullable() }),
    errors: ['not_found', 'invalid_query'],
  },
  delivery: {
    rest: 'GET /api/v1/workflows/:id/deliveries/:delivery_id',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A delivery with its body',
    params: { id, delivery_id: id },
    result: DeliveryDetail,
    errors: ['not_found'],
  },
  redeliver: {
    rest: 'POST /api/v1/workflows/:id/deliveries/:delivery_id/redeliver',
    status: 202,
    access: 'member',
    runs: true,
    idempotency: 'action',
    given: ['idempotency_key'],
    integrators: true,
    summary: 'Starts the workflow again with the recorded delivery',
    params: { id, delivery_id: id, idempotency_key: { type: 'string', min: 1, max: 1_000, optional: true } },
    result: Redelivered,
    errors: ['not_found', 'conflict', ...START_ERRORS, 'idempotency_mismatch'],
  },
  /** Stores deliveries that gateways have recorded. */
  keep_deliveries: {
    access: 'internal',
    summary: 'Stores deliveries that gateways have recorded',
    params: { deliveries: { type: 'array', items: seen, max: MAX_DELIVERIES_PER_CALL } },
    result: s.typed<{ kept: number }>(),
  },
  /** Removes the deliveries of a deleted workflow. */
  purge: {
    access: 'internal',
    repeatable: true,
    summary: 'Removes the deliveries of a workflow',
    params: { workflow_id: id },
    result: s.nothing,
  },
});
