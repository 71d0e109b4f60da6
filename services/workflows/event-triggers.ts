import { AppError, errorMessage } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import { jsonSize } from '../../lib/json';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { isRefusal, type StartCause, type StartRun } from '../../mixins/start-run';
import { type InternalTrigger, keysOfEvent } from '../../lib/subscription-keys';
import type { App } from '../app';
import type { Reactions, RunCause } from '../../contracts/workflows/views';
import type { WorkflowRecord } from './models';
import type { WorkflowStore } from './store';

const STARTED_AT_ONCE = 20;
const NOTHING: ReadonlySet<string> = new Set();
const MAX_DATA_CHARS = 256 * 1024;

type EventContext = Pick<ActionContext<'workflows.react'>, 'tenantId' | 'call' | 'requestId' | 'log'>;

/** One workflow that is to be started, and the trigger of it that is fired. */
interface Match {
  readonly workflowId: string;
  readonly trigger: InternalTrigger;
}

/**
 * Starts workflows by internal events. Each run has an id derived from its event, so an event that
 * is delivered again, after a lost answer or a crash, starts nothing twice.
 */
export const eventTriggers = (app: App, store: WorkflowStore, starts: StartRun) => {
  /**
   * Starts the workflows that an event triggers. Refused starts are reported; a retryable fault is
   * thrown once all others have started, so that the event is delivered again. @throws AppError unavailable
   */
  async function react(
    ctx: EventContext,
    cause: RunCause,
    depth: number,
    withheld: ReadonlySet<string> = NOTHING,
  ): Promise<Reactions> {
    const topics = keysOfEvent(cause);
    const listeners = topics.size === 0 ? [] : await store.listeners(ctx.tenantId, [...topics.keys()]);
    const allowed = listeners.filter(({ _id }) => !withheld.has(_id));
    const matches = allowed.flatMap((listener) => triggersOf(listener, topics));
    const reactions: Reactions = { started: [], refused: [] };
    let retryable: unknown = null;
    for (let at = 0; at < matches.length; at += STARTED_AT_ONCE) {
      const batch = matches.slice(at, at + STARTED_AT_ONCE);
      const results = await Promise.allSettled(batch.map((each) => start(ctx, cause, each, depth)));
      for (const [index, result] of results.entries()) {
        const workflow_id = (batch[index] as Match).workflowId;
        if (result.status === 'fulfilled') {
          if (result.value !== null) reactions.started.push({ workflow_id, execution_id: result.value });
        } else if (isRefusal(result.reason)) {
          const refusal = { workflow_id, code: result.reason.type, message: result.reason.message };
          ctx.log.warn(`Workflow ${workflow_id} was not started by a ${cause.kind} cause: ${refusal.message}`);
          reactions.refused.push(refusal);
        } else retryable ??= result.reason;
      }
    }
    if (retryable === null) return reactions;
    throw new AppError(
      'unavailable',
      `Not all workflows could be started; the event is delivered again: ${errorMessage(retryable)}`,
      undefined,
      {
        cause: retryable,
      },
    );
  }

  /** The run's id; null when the workflow is gone by now. */
  async function start(ctx: EventContext, cause: RunCause, { workflowId, trigger }: Match, depth: number) {
    const workflow = await starts.find(ctx.call, workflowId);
    if (workflow === null) return null;
    await starts.authorize(ctx.call, workflow);
    const { id } = await starts.start(ctx.call, workflow, {
      type: trigger,
      ...triggerOf(cause),
      executionId: derivedId(app.keys.ids, 'reaction', trigger, workflowId, idOf(cause)),
      requestId: ctx.requestId,
      depth,
    });
    return id;
  }

  return {
    react: (ctx: ActionContext<'workflows.react'>) => react(ctx, ctx.params.cause, ctx.params.depth),

    /** Sends a signal to the workflows that it triggers and the caller may run. An idempotency key identifies the event. @throws AppError payload_too_large */
    async signal(ctx: ActionContext<'workflows.signal'>) {
      const { signal, data = {}, idempotency_key: key } = ctx.params;
      if (jsonSize(data) > MAX_DATA_CHARS)
        throw new AppError('payload_too_large', `The 'data' of a signal has at most ${MAX_DATA_CHARS} characters`);
      const id = key === undefined ? randomId() : derivedId(app.keys.ids, 'signal', ctx.tenantId, key);
      const change = { action: 'signal.send', target: { type: 'signal', id: signal, name: signal } };
      const withheld = new Set(await ctx.folders.withheld('run'));
      const reactions = await app.audit.audited(auditedBy(ctx), change, () =>
        react(ctx, { kind: 'signal', id, signal, data, execution_id: null }, 0, withheld),
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
): Match[] {
  const triggers = new Set(topics.flatMap((topic) => fired.get(topic) ?? []));
  return [...triggers].map((trigger) => ({ workflowId: _id, trigger }));
}

const idOf = (cause: RunCause): string => (cause.kind === 'ended' ? cause.execution_id : cause.id);

/** The `trigger` root of a run that a cause starts. */
function triggerOf(cause: RunCause): Pick<StartCause, 'trigger' | 'spread_body'> {
  if (cause.kind === 'signal')
    return { trigger: { signal: cause.signal, data: cause.data, execution_id: cause.execution_id } };
  // The event's own members, and the whole, as with requests from outside.
  if (cause.kind === 'billing') return { trigger: { body: cause.data }, spread_body: true };
  const { workflow_id, workflow_name, execution_id, status, output, error } = cause;
  const failure = error === null ? null : { ...error };
  return { trigger: { workflow_id, workflow_name, execution_id, status, output, error: failure } };
}
