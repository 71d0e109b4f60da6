import { AppError } from '../../../lib/errors';
import { webhookBody } from '../../../lib/http-body/webhook-body';
import { derivedId, timeId } from '../../../lib/ids';
import { isObject } from '../../../lib/json';
import type { StartCause } from '../../../mixins/admission';
import { auditedBy } from '../../../mixins/audit';
import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../app';
import type { StartResult } from '../../executor/contract';
import type { Startable } from '../../workflows/contract';
import type { InboundRequest, Redelivered } from '../contract';
import { causeOfMessage, formatOf, incomingOf } from '../messaging/incoming';
import { runTrigger, webhookTrigger } from '../receive';
import type { Starting } from '../starting';
import type { InboxRecord } from './models';
import { ownWorkflow } from './own-workflow';
import { headersOf, objectIn } from './record';
import type { Inbox } from './store';

const STARTED_AT_ONCE = 20;

type Redelivering = ActionContext<'channels.redeliver'>;

/** One run of a delivery: most have one, a request with several messages has several. `part` tells them apart. */
interface Part {
  readonly part: string;
  readonly cause: Pick<StartCause, 'type' | 'trigger' | 'input'>;
}

/**
 * Starts workflows again with what came in before, refused or not. What was sent is taken as genuine: whoever asks may
 * start the workflow with anything.
 */
export function redelivery(app: App, inbox: Inbox, { admit, start }: Starting) {
  /**
   * A new run for each call; calls with one idempotency key make one.
   * @throws AppError not_found, conflict, workflow_disabled, workflow_pending, unknown_secret, and what its body is refused for
   */
  return async function redeliver(ctx: Redelivering): Promise<Redelivered> {
    const { id, delivery_id, idempotency_key: key } = ctx.params;
    const workflow = await ownWorkflow(ctx, id);
    const { record, body } = await inbox.get(ctx.tenantId, id, delivery_id);
    const parts = record.kept < record.size ? await partsOfRuns(ctx, record) : partsOf(record, body, workflow);
    if (parts.length === 0) throw new AppError('conflict', 'Nothing in this delivery starts a run');
    await admit(ctx.call, workflow);
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
      start(ctx, workflow, { ...cause, executionId: runId(part) });
    return app.audit.audited(auditedBy(ctx), change, async () => answerOf(await settledInTurns(parts, begin)));
  };
}

/** What a delivery starts. @throws AppError what its body is refused for */
function partsOf(record: InboxRecord, body: Buffer, workflow: Startable): Part[] {
  const { source } = record;
  const headers = headersOf(record);
  const type = headers['content-type'];
  if (source === 'messaging-a' || source === 'messaging-b') {
    if (body.length === 0) return [];
    return incomingOf(source, formatOf(source, type), body, record.received_at.getTime()).flatMap((incoming) =>
      incoming.kind === 'message' ? [{ part: incoming.message.id, cause: causeOfMessage(source, incoming) }] : [],
    );
  }
  const request: InboundRequest = {
    workflow_id: record.workflow_id,
    method: record.method,
    headers,
    query: objectIn(record.query),
    body: webhookBody(type, body),
    raw: body.toString('base64'),
  };
  const cause =
    source === 'run'
      ? { type: 'api', trigger: runTrigger(request) }
      : { type: 'http', trigger: webhookTrigger(request, workflow.raw_body) };
  return [{ part: '', cause: { ...cause, input: request.body } }];
}

/** The same of one whose body was too large to be kept: its runs know it. @throws AppError conflict, not_found */
async function partsOfRuns({ call }: Redelivering, { execution_ids: ids }: InboxRecord): Promise<Part[]> {
  if (ids.length === 0)
    throw new AppError('conflict', 'The body of this delivery was too large to be kept; it cannot be sent again');
  const parts: Part[] = [];
  for (const id of ids) {
    const { trigger_type: type, trigger, input } = await call('executions.get', { id });
    parts.push({ part: id, cause: { type, trigger: isObject(trigger) ? trigger : {}, input } });
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

/** What was started; what was not is told only when nothing was. */
function answerOf(results: readonly PromiseSettledResult<StartResult>[]): Redelivered {
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first] = started;
  if (first === undefined) throw (results[0] as PromiseRejectedResult).reason;
  return {
    execution_id: first.execution.id,
    execution_ids: started.map(({ execution }) => execution.id),
    ...(started.every(({ replayed }) => replayed) ? { replayed: true } : {}),
  };
}
