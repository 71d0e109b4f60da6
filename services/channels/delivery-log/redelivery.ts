import { allSettledInBatches } from '../../../lib/batches';
import { AppError } from '../../../lib/errors';
import { webhookContent } from '../../../lib/http-body/webhook-body';
import { derivedId, timeId } from '../../../lib/ids';
import { isObject } from '../../../lib/json';
import { auditedBy } from '../../../mixins/audit';
import type { ActionContext } from '../../../mixins/service';
import type { StartCause, StartRun } from '../../../mixins/start-run';
import { runCause, webhookCause, type WebhookRequest } from '../../../mixins/webhooks/request';
import type { App } from '../../app';
import type { StartResult } from '../../../contracts/executions/views';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type { Redelivered } from '../../../contracts/channels/views';
import { causeOfMessage, formatOf, incomingOf } from '../messaging/incoming';
import type { WebhookDeliveryRecord } from './models';
import { ownWorkflow } from './own-workflow';
import { headersOf, objectIn } from './record';
import type { DeliveryLog } from './store';

const MAX_CONCURRENT_STARTS = 20;

type RedeliverContext = ActionContext<'channels.redeliver'>;

/** A run of a delivery; a request with several messages has several. `part` is the key within the delivery. */
interface Part {
  readonly part: string;
  readonly cause: Pick<StartCause, 'type' | 'trigger' | 'spread_body'>;
}

/**
 * Starts workflows again with stored deliveries, also refused ones. Signatures are not verified again, because the caller
 * may start the workflow with any data.
 */
export function redelivery(app: App, log: DeliveryLog, starts: StartRun) {
  /**
   * Starts a new run with each call, unless the calls have the same idempotency key.
   * @throws AppError not_found, conflict, workflow_disabled, workflow_pending, unknown_secret, and errors of the body
   */
  return async function redeliver(ctx: RedeliverContext): Promise<Redelivered> {
    const { id, delivery_id, idempotency_key: key } = ctx.params;
    const workflow = await ownWorkflow(ctx, id);
    const { record, body } = await log.get(ctx.tenantId, id, delivery_id);
    const parts = record.kept < record.size ? await partsOfRuns(ctx, record) : await partsOf(record, body, workflow);
    if (parts.length === 0) throw new AppError('conflict', 'This delivery starts no run');
    await starts.authorize(ctx.call, workflow);
    const runId = (part: string): string =>
      key === undefined
        ? timeId(app.clock.now())
        : derivedId(app.keys.ids, 'redelivery', ctx.tenantId, delivery_id, key, part);
    const change = {
      action: 'delivery.redeliver',
      target: { type: 'workflow', id: workflow.id, name: workflow.name },
      after: { delivery_id },
    };
    const start = ({ part, cause }: Part): Promise<StartResult> =>
      starts.start(ctx.call, workflow, { ...cause, executionId: runId(part), requestId: ctx.requestId });
    return app.audit.audited(auditedBy(ctx), change, async () =>
      responseOf(await allSettledInBatches(parts, MAX_CONCURRENT_STARTS, start)),
    );
  };
}

/** The runs that a delivery starts. @throws AppError errors of the body */
async function partsOf(record: WebhookDeliveryRecord, body: Buffer, workflow: StartSnapshot): Promise<Part[]> {
  const { source } = record;
  const headers = headersOf(record);
  const type = headers['content-type'];
  if (source === 'messaging-a' || source === 'messaging-b') {
    if (body.length === 0) return [];
    const found = await incomingOf(source, formatOf(source, type), body, record.received_at.getTime());
    return found.flatMap((incoming) =>
      incoming.kind === 'message' ? [{ part: incoming.message.id, cause: causeOfMessage(source, incoming) }] : [],
    );
  }
  const request: WebhookRequest = {
    method: record.method,
    headers,
    query: objectIn(record.query),
    ...(await webhookContent(type, body)),
    raw: body,
  };
  return [{ part: '', cause: source === 'run' ? runCause(request) : webhookCause(request, workflow.raw_body) }];
}

/** The runs of a delivery whose body was too large to store: their triggers contain it. @throws AppError conflict, not_found */
async function partsOfRuns({ call }: RedeliverContext, { execution_ids: ids }: WebhookDeliveryRecord): Promise<Part[]> {
  if (ids.length === 0)
    throw new AppError('conflict', 'The body of this delivery was too large to store, so it cannot be sent again');
  const parts: Part[] = [];
  for (const id of ids) {
    const { trigger_type: type, trigger } = await call('executions.get', { id });
    parts.push({ part: id, cause: { type, trigger: isObject(trigger) ? trigger : {} } });
  }
  return parts;
}

/** The started runs. @throws the first error when no run was started */
function responseOf(results: readonly PromiseSettledResult<StartResult>[]): Redelivered {
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = started;
  if (first === undefined) throw (results[0] as PromiseRejectedResult).reason;
  return {
    execution_id: first.id,
    execution_ids: started.map(({ id }) => id),
    ...(started.every(({ replayed }) => replayed) ? { replayed: true } : {}),
  };
}
