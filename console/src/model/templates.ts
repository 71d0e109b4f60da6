import type { WorkflowDocument } from '../../../clients/typescript/src/api.ts';

/** A workflow that a new user can run at once: it needs no connection, no secret and no other server. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly dsl: WorkflowDocument;
  /** What its first run is started with. */
  readonly body: Record<string, unknown>;
}

export const TEMPLATES: readonly Template[] = [
  {
    name: 'Order intake',
    description: 'Takes an order, adds up its lines, and marks large ones.',
    dsl: {
      id: 'order-intake',
      trigger: { type: 'http', config: {} },
      steps: [
        {
          id: 'order',
          type: 'set',
          config: { customer: '{{ trigger.body.customer }}', prices: '{{ trigger.body.prices }}' },
        },
        { id: 'sums', type: 'set', config: { net: '{{ sum(steps.order.prices) }}' } },
        {
          id: 'size',
          type: 'branch',
          cases: [
            {
              when: '{{ steps.sums.net > 100 }}',
              steps: [{ id: 'large', type: 'log', config: { message: 'A large order: {{ steps.sums.net }}' } }],
            },
          ],
          else: [{ id: 'small', type: 'log', config: { message: 'A small order: {{ steps.sums.net }}' } }],
        },
      ],
      output: { customer: '{{ steps.order.customer }}', net: '{{ steps.sums.net }}' },
    },
    body: { customer: 'Ada', prices: [20, 22.5, 80] },
  },
  {
    name: 'Refund with approval',
    description: 'Asks a person before it goes on. The run waits for days without using memory.',
    dsl: {
      id: 'refund-with-approval',
      trigger: { type: 'http', config: {} },
      steps: [
        {
          id: 'manager',
          type: 'approval',
          config: {
            message: 'Refund {{ trigger.body.amount }} euros to {{ trigger.body.customer }}?',
            timeout: '3d',
            on_timeout: 'reject',
          },
        },
      ],
      output: { refunded: '{{ steps.manager.approved }}' },
    },
    body: { customer: 'Grace', amount: 250 },
  },
  {
    name: 'Parallel checks',
    description: 'Waits for three checks side by side, then goes through the lines one by one.',
    dsl: {
      id: 'parallel-checks',
      trigger: { type: 'http', config: {} },
      steps: [
        {
          id: 'checks',
          type: 'parallel',
          branches: [
            { id: 'stock', steps: [{ id: 'ask_stock', type: 'wait', config: { for: '2s' } }] },
            { id: 'credit', steps: [{ id: 'ask_credit', type: 'wait', config: { for: '4s' } }] },
            { id: 'address', steps: [{ id: 'ask_address', type: 'wait', config: { for: '3s' } }] },
          ],
        },
        {
          id: 'each',
          type: 'foreach',
          config: { items: '{{ trigger.body.items }}' },
          steps: [{ id: 'line', type: 'set', config: { sku: '{{ loop.item }}', checked: true } }],
        },
      ],
      output: { items: '{{ length(trigger.body.items) }}' },
    },
    body: { items: ['A-1', 'B-7', 'C-3'] },
  },
];
