import type { ServiceDefinition } from '../../../mixins/service';
import type { App } from '../../app';
import { DELIVERY_OUTCOMES, DELIVERY_SOURCES } from '../contract';
import type { Starting } from '../starting';
import { keeping } from './keeping';
import { createInboxIndexes, inboxModels } from './models';
import { ownWorkflow } from './own-workflow';
import { toDetail, toRow } from './record';
import { redelivery } from './redelivery';
import { Inbox } from './store';

const DEFAULT_PAGE = 50;
const MOST_AT_ONCE = 1_000;

const id = { type: 'string', min: 1, max: 100 } as const;

const seen = {
  type: 'object',
  props: {
    workflow_id: { type: 'string', max: 1_000 },
    source: { type: 'enum', values: [...DELIVERY_SOURCES] },
    received_at: 'string',
    method: 'string',
    status: { type: 'number', nullable: true },
    headers: { type: 'record', key: 'string', value: 'string' },
    query: { type: 'object' },
    raw: 'string',
    size: 'number',
    sha256: { type: 'string', nullable: true },
    outcome: { type: 'enum', values: [...DELIVERY_OUTCOMES] },
    code: { type: 'string', nullable: true },
    reason: { type: 'string', nullable: true },
    execution_ids: { type: 'array', items: 'string' },
    delivery_id: { type: 'string', nullable: true },
    minor: 'boolean',
  },
} as const;

type Menu = Pick<
  ServiceDefinition<'channels'>['actions'],
  'deliveries' | 'delivery' | 'redeliver' | 'keep_deliveries' | 'purge'
>;

/** What came in for each workflow, whether or not it has started anything: to look at, and to send again. */
export function inboxes(app: App, starting: Starting): { menu: Menu; createIndexes: () => Promise<void> } {
  const models = inboxModels(app.db);
  const inbox = new Inbox(models);
  const redeliver = redelivery(app, inbox, starting);
  const keep = keeping(inbox);

  const menu: Menu = {
    deliveries: {
      access: 'member',
      summary: 'What came in for a workflow, newest first',
      params: {
        id,
        limit: { type: 'number', integer: true, min: 1, max: 200, optional: true },
        cursor: { ...id, optional: true },
        outcome: { type: 'enum', values: [...DELIVERY_OUTCOMES], optional: true },
        source: { type: 'enum', values: [...DELIVERY_SOURCES], optional: true },
      },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        await ownWorkflow(ctx, params.id);
        const { limit = DEFAULT_PAGE, cursor: before, outcome, source } = params;
        const found = await inbox.list(tenantId, params.id, { limit: limit + 1, before, outcome, source });
        const data = found.slice(0, limit).map(toRow);
        return { data, next_cursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
      },
    },
    delivery: {
      access: 'member',
      summary: 'All that is kept of a delivery',
      params: { id, delivery_id: id },
      async handle(ctx) {
        const { params, tenantId } = ctx;
        await ownWorkflow(ctx, params.id);
        const { record, body } = await inbox.get(tenantId, params.id, params.delivery_id);
        return toDetail(record, body);
      },
    },
    redeliver: {
      access: 'member',
      summary: 'Starts a workflow again with what came in',
      params: { id, delivery_id: id, idempotency_key: { type: 'string', min: 1, max: 1_000, optional: true } },
      handle: redeliver,
    },
    keep_deliveries: {
      access: 'internal',
      summary: 'Keeps what gateways have seen',
      params: { deliveries: { type: 'array', items: seen, max: MOST_AT_ONCE } },
      handle: keep,
    },
    purge: {
      access: 'internal',
      summary: 'Forgets what came in for a workflow',
      params: { workflow_id: id },
      handle: ({ params, tenantId }) => inbox.purge(tenantId, params.workflow_id),
    },
  };
  return { menu, createIndexes: () => createInboxIndexes(models) };
}
