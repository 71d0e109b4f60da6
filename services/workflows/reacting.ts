import { AppError, errorMessage } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import { type JsonObject, jsonSize } from '../../lib/json';
import { assertRunnable, assertSecretsExist, isRefusal, startExecution, startParams } from '../../mixins/admission';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { type InternalTrigger, topicsOfCause } from '../../mixins/topics';
import type { App } from '../app';
import type { Reactions, RunCause } from './contract';
import { missingSecrets } from './editing';
import type { WorkflowRecord } from './models';
import type { Startables } from './startable';
import type { WorkflowStore } from './store';

const STARTED_AT_ONCE = 20;
const MOST_DATA = 256 * 1024;

type Reacting = Pick<ActionContext<'workflows.react'>, 'tenantId' | 'call' | 'requestId' | 'log'>;

/** One workflow that is to be started, and the trigger of it that is fired. */
interface Due {
  readonly workflowId: string;
  readonly trigger: InternalTrigger;
}

/**
 * Starts workflows because of what happens inside of the service. Each run has an id made of its cause, so a cause that
 * is told again, after an answer was lost or a host has died, starts nothing twice.
 */
export const reacting = (app: App, store: WorkflowStore, startables: Startables) => {
  /**
   * Starts whatever begins by a cause. What cannot be started now is passed over, and told; a fault that may pass is
   * thrown once all others have started, so that the cause is told again. @throws AppError unavailable
   */
  async function react(ctx: Reacting, cause: RunCause, depth: number): Promise<Reactions> {
    const topics = topicsOfCause(cause);
    const listeners = topics.size === 0 ? [] : await store.listeners(ctx.tenantId, [...topics.keys()]);
    const due = listeners.flatMap((listener) => triggersOf(listener, topics));
    const reactions: Reactions = { started: [], refused: [] };
    let trouble: unknown = null;
    for (let at = 0; at < due.length; at += STARTED_AT_ONCE) {
      const batch = due.slice(at, at + STARTED_AT_ONCE);
      const results = await Promise.allSettled(batch.map((each) => start(ctx, cause, each, depth)));
      for (const [index, result] of results.entries()) {
        const workflow_id = (batch[index] as Due).workflowId;
        if (result.status === 'fulfilled') {
          if (result.value !== null) reactions.started.push({ workflow_id, execution_id: result.value });
        } else if (isRefusal(result.reason)) {
          const refusal = { workflow_id, code: result.reason.type, message: result.reason.message };
          ctx.log.warn(`Workflow ${workflow_id} was not started by a ${cause.kind} cause: ${refusal.message}`);
          reactions.refused.push(refusal);
        } else trouble ??= result.reason;
      }
    }
    if (trouble === null) return reactions;
    throw new AppError('unavailable', `Not everything could be started now: ${errorMessage(trouble)}`, undefined, {
      cause: trouble,
    });
  }

  /** The run's id; null when the workflow is gone by now. */
  async function start(ctx: Reacting, cause: RunCause, { workflowId, trigger }: Due, depth: number) {
    const workflow = await startables.get(workflowId);
    if (workflow === null) return null;
    assertRunnable(workflow);
    if (workflow.secrets.length > 0) {
      assertSecretsExist(await missingSecrets(ctx.call, ctx.tenantId)(workflow.secrets));
    }
    const given = triggerOf(cause);
    const params = startParams(
      workflow,
      {
        type: trigger,
        trigger: given,
        input: given,
        executionId: derivedId(app.keys.ids, 'reaction', trigger, workflowId, idOf(cause)),
        requestId: ctx.requestId,
      },
      app.clock.now(),
    );
    return (await startExecution(app, ctx.call, ctx.tenantId, { ...params, depth })).execution.id;
  }

  return {
    react: (ctx: ActionContext<'workflows.react'>) => react(ctx, ctx.params.cause, ctx.params.depth),

    /** Sends a signal to whoever begins by it. An idempotency key names the cause. @throws AppError payload_too_large */
    async signal(ctx: ActionContext<'workflows.signal'>) {
      const { signal, data = {}, idempotency_key: key } = ctx.params;
      if (jsonSize(data) > MOST_DATA)
        throw new AppError('payload_too_large', `The 'data' of a signal has at most ${MOST_DATA} characters`);
      const id = key === undefined ? randomId() : derivedId(app.keys.ids, 'signal', ctx.tenantId, key);
      const change = { action: 'signal.send', target: { type: 'signal', id: signal, name: signal } };
      const reactions = await app.audit.audited(auditedBy(ctx), change, () =>
        react(ctx, { kind: 'signal', id, signal, data, execution_id: null }, 0),
      );
      return { accepted: true as const, signal, ...reactions };
    },

    /** Everything that starts workflows of the tenant from inside of the service. */
    async topics({ tenantId }: ActionContext<'workflows.topics'>) {
      const listeners = await store.listeners(tenantId);
      return { topics: [...new Set(listeners.flatMap(({ topics = [] }) => topics))] };
    },
  };
};

/** The triggers of a workflow that a cause fires: each once, however many of its topics they name. */
function triggersOf(
  { _id, topics = [] }: Pick<WorkflowRecord, '_id' | 'topics'>,
  fired: ReadonlyMap<string, InternalTrigger>,
): Due[] {
  const triggers = new Set(topics.flatMap((topic) => fired.get(topic) ?? []));
  return [...triggers].map((trigger) => ({ workflowId: _id, trigger }));
}

const idOf = (cause: RunCause): string => (cause.kind === 'ended' ? cause.execution_id : cause.id);

/** The `trigger` root of a run that a cause starts. */
function triggerOf(cause: RunCause): JsonObject {
  if (cause.kind === 'signal') return { signal: cause.signal, data: cause.data, execution_id: cause.execution_id };
  // The event's own members, and the whole, as those who come from outside have it.
  if (cause.kind === 'billing') return { ...cause.data, body: cause.data };
  const { workflow_id, workflow_name, execution_id, status, output, error } = cause;
  return { workflow_id, workflow_name, execution_id, status, output, error: error === null ? null : { ...error } };
}
