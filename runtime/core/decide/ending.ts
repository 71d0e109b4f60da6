import type { JsonObject } from '../../../lib/json';
import type { Entry } from '../entries/entry';
import type { RunState } from '../state/state';
import type { Ending, OutboxItem, Execution } from '../model';
import { endMessage, parentEnded } from './children';
import type { RunContext } from '../state/run-context';
import type { SecretRedactor } from '../secrets/secret-redactor';
import { cancelMessage } from './waits';

/**
 * The fields that the end of a run writes into its document, with secrets redacted. `hasSubscribers`: workflows may be
 * triggered by the end.
 */
export async function endingOf(
  execution: Execution,
  context: RunContext,
  state: RunState,
  ended: Extract<Entry, { kind: 'run.ended' }>,
  redactor: SecretRedactor,
  hasSubscribers: boolean,
): Promise<Ending> {
  const ending = {
    status: ended.status,
    startedAt: execution.startedAt,
    endedAt: ended.at,
    output: await redactor.redactOutgoingSliced(ended.output),
    error: ended.error,
    response: await responseOf(context, state, redactor),
    steps: state.stepsRun,
    tokens: state.tokens,
    costUsd: state.costUsd,
  };
  return { ...ending, outbox: outboxOf(execution, ending, state, hasSubscribers) };
}

/**
 * A waiting parent gets a message, children are cancelled, and the permit is released. The end is published last, as
 * that may take long.
 */
export function outboxOf(
  execution: Execution,
  ending: Omit<Ending, 'outbox'>,
  state: Pick<RunState, 'children'>,
  hasSubscribers: boolean,
): OutboxItem[] {
  const { id, parent, concurrency } = execution;
  const items: OutboxItem[] = [...state.children.keys()].map((to) => ({
    kind: 'post',
    to,
    message: cancelMessage(ending.endedAt, parentEnded(id)),
  }));
  if (parent?.awaited === true) items.push({ kind: 'post', to: parent.executionId, message: endMessage(id, ending) });
  if (concurrency !== null) items.push({ kind: 'leave', group: concurrency.group, limit: concurrency.limit });
  if (hasSubscribers) items.push({ kind: 'announce' });
  return items;
}

/** The output of the last `webhook_response` step that completed. */
async function responseOf(context: RunContext, state: RunState, redactor: SecretRedactor): Promise<JsonObject | null> {
  const response = state.response ?? responseOfOldHistory(context, state);
  return response === null ? null : ((await redactor.redactOutgoingSliced(response)) as JsonObject);
}

/** For histories older than the `response` field of entries: outermost steps only. */
function responseOfOldHistory({ plan }: RunContext, { steps }: RunState): JsonObject | null {
  const outputs = plan.root.steps.flatMap(({ def, path }) => {
    const step = def.type === 'webhook_response' ? steps.get(path) : undefined;
    return step?.kind === 'completed' ? [step.output] : [];
  });
  return outputs.at(-1) ?? null;
}
