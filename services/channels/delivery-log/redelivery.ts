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

const STARTED_AT_ONCE = 20;

type Redelivering = ActionContext<'channels.redeliver'>;

/** One run of a delivery: most have one, a request with several messages has several. `part` tells them apart. */
interface Part {
  readonly part: string;
  readonly cause: Pick<StartCause, 'type' | 'trigger' | 'spread_body'>;
}

/**
 * Starts workflows again with what came in before, refused or not. The content is not verified again: the caller may
 * start the workflow with any data.
 */
export function redelivery(app: App, log: DeliveryLog, starts: StartRun) {
  /**
   * A new run for each call; calls with one idempotency key make one.
   * @throws AppError not_found, conflict, workflow_disabled, workflow_pending, unknown_secret, and what its body is refused for
   */
  return async function redeliver(ctx: Redelivering): Promise<Redelivered> {
    const { id, delivery_id, idempotency_key: key } = ctx.params;
    const workflow = await ownWorkflow(ctx, id);
    const { record, body } = await log.get(ctx.tenantId, id, delivery_id);
    const parts = record.kept < record.size ? await partsOfRuns(ctx, record) : await partsOf(record, body, workflow);
    if (parts.length === 0) throw new AppError('conflict', 'Nothing in this delivery starts a run');
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
    const begin = ({ part, cause }: Part): Promise<StartResult> =>
      starts.start(ctx.call, workflow, { ...cause, executionId: runId(part), requestId: ctx.requestId });
    return app.audit.audited(auditedBy(ctx), change, async () => answerOf(await settledInTurns(parts, begin)));
  };
}

/** What a delivery starts. @throws AppError what its body is refused for */
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

/** The same of one whose body was too large to be kept: its runs know it. @throws AppError conflict, not_found */
async function partsOfRuns({ call }: Redelivering, { execution_ids: ids }: WebhookDeliveryRecord): Promise<Part[]> {
  if (ids.length === 0)
    throw new AppError('conflict', 'The body of this delivery was too large to be kept; it cannot be sent again');
  const parts: Part[] = [];
  for (const id of ids) {
    const { trigger_type: type, trigger } = await call('executions.get', { id });
    parts.push({ part: id, cause: { type, trigger: isObject(trigger) ? trigger : {} } });
  }
  return parts;
}

/** Begins some at a time. */
async function settledInTurns(
  parts: readonly Part[],
  begin: (part: Part) => Promise<StartResult>,
): Promise<PromiseSettledResult<StartResult>[]> {
  const results: PromiseSettledResult<StartResult>[] = [];
  for (let at = 0; at < parts.length; at += STARTED_AT_ONCE)
    results.push(...(await Promise.allSettled(parts.slice(at, at + STARTED_AT_ONCE).map(begin))));
  return results;
}

/** The started runs; an error is thrown only when none was started. */
function answerOf(results: readonly PromiseSettledResult<StartResult>[]): Redelivered {
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = started;
  if (first === undefined) throw (results[0] as PromiseRejectedResult).reason;
  return {
    execution_id: first.id,
    execution_ids: started.map(({ id }) => id),
    ...(started.every(({ replayed }) => replayed) ? { replayed: true } : {}),
  };
}
