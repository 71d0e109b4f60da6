import { REPLAYED } from '../http/answer';
import { json, type Route } from './route';

/** What came in for a workflow. */
export const deliveryRoutes: readonly Route[] = [
  json('GET /api/v1/workflows/:id/deliveries', 'channels.deliveries', {
    paged: true,
    summary: 'What came in for a workflow, newest first',
  }),
  json('GET /api/v1/workflows/:id/deliveries/:delivery_id', 'channels.delivery', {
    summary: 'All that is kept of a delivery, with its body',
  }),
  json('POST /api/v1/workflows/:id/deliveries/:delivery_id/redeliver', 'channels.redeliver', {
    status: 202,
    idempotency: 'action',
    summary: 'Starts the workflow again with what came in',
    params: ({ path, idempotencyKey }) => ({
      id: path.id,
      delivery_id: path.delivery_id,
      idempotency_key: idempotencyKey,
    }),
    answer: ({ replayed, ...redelivered }) => ({
      ...(replayed === true ? { headers: REPLAYED } : {}),
      body: redelivered,
    }),
  }),
];
