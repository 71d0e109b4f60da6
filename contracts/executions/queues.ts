import { actions } from '../contract';
import { id } from '../rules';
import { pageParams } from '../../lib/page';
import * as s from '../../lib/schema';

const QUEUE_KINDS = ['batch', 'concurrency', 'connection', 'debounce', 'throttle'] as const;

export const QueueRow = s.named(
  'QueueRow',
  s.object({
    id: s.text,
    workflow_id: s.text,
    workflow_name: s.text.about('As it was when the oldest of these runs started.'),
    kind: s.words(...QUEUE_KINDS),
    key: s.text.nullable().about('The value of the key; null where all runs of the workflow share the limit.'),
    name: s.text
      .nullable()
      .about(
        'The name of a limit that workflows share, or the id of a connection; the workflow is that of the oldest run.',
      ),
    limit: s.number
      .nullable()
      .about(
        'Of a batch: the starts that it takes at most. Null of a debounce, and of a connection, which has its own limits.',
      ),
    period_ms: s.number.nullable().about('Of a throttle.'),
    used: s.number.about(
      'Of `concurrency`: runs that hold a permit. Of `connection`: steps that hold one. Of `throttle`: starts in the period until now. Of `debounce` and `batch`: ' +
        'starts that the waiting run stands for.',
    ),
    waiting: s.number,
    oldest: s.text.nullable().about('When the oldest waiting run was started.'),
    next_start: s.text
      .nullable()
      .about(
        'Of a throttle: when one more run may start. Of a debounce or batch: when its run begins. Of a connection: when the next step asks for its turn.',
      ),
  }),
  'A limit of a workflow with runs that wait for it, or that it counts. Times are RFC 3339.',
);
export type QueueRow = s.Infer<typeof QueueRow>;

const QueuePage = s.named(
  'QueuePage',
  s.listed(QueueRow).extend({ truncated: s.boolean.about('There are more runs than are counted, 10,000.') }),
);

const OperatorQueue = s.named(
  'OperatorQueue',
  s.object({
    kind: s
      .words('host', 'slot', ...QUEUE_KINDS)
      .about('What the runs wait for. `host`: a process that continues them. `slot`: the concurrency of their plan.'),
    waiting: s.number,
    oldest: s.text.nullable().about('When the oldest of these runs was started.'),
  }),
  'Runs of all tenants that wait for the same kind of limit.',
);
export type OperatorQueue = s.Infer<typeof OperatorQueue>;

export const queuesActions = actions({
  operator_queues: {
    rest: 'GET /api/v1/operator/queues',
    access: 'operator',
    repeatable: true,
    summary: 'How many runs of all tenants wait, by what they wait for',
    params: {},
    result: s.object({
      queues: s.array(OperatorQueue),
      truncated: s.boolean.about('There are more runs than are counted, 10,000.'),
    }),
    errors: ['invalid_query'],
  },
  queues: {
    rest: 'GET /api/v1/queues',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists limits of workflows and the runs that wait for them, the longest queue first',
    params: {
      ...pageParams,
      workflow_id: { ...id, optional: true },
      kind: { type: 'enum', values: [...QUEUE_KINDS], optional: true },
    },
    result: QueuePage,
    errors: ['invalid_query'],
  },
});
