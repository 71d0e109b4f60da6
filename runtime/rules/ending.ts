import type { JsonObject } from '../../lib/json';
import type { Entry } from '../record/entry';
import type { RunState } from '../record/state';
import type { Ending, Execution, OutMail } from '../store/port';
import { endOfRun } from './children';
import type { RunFacts } from './scope';
import type { Veil } from './veil';
import { cancellation } from './waits';

/** What the end of a run writes into its document. Nothing in it shows a secret. */
export function endingOf(
  execution: Execution,
  facts: RunFacts,
  state: RunState,
  ended: Extract<Entry, { kind: 'run.ended' }>,
  veil: Veil,
): Ending {
  const ending = {
    status: ended.status,
    startedAt: execution.startedAt,
    endedAt: ended.at,
    output: veil.mask(ended.output),
    error: ended.error,
    response: responseOf(facts, state, veil),
    tokens: state.tokens,
    costUsd: state.costUsd,
  };
  return { ...ending, outbox: messagesOfEnd(execution, ending, state) };
}

/** The end for the run that waits for it, and a cancellation for each run that this one waits for. */
export function messagesOfEnd({ id, parent }: Execution, ending: Omit<Ending, 'outbox'>, state: RunState): OutMail[] {
  return [
    ...(parent?.awaited === true ? [{ to: parent.executionId, mail: endOfRun(id, ending) }] : []),
    ...[...state.children].map((to) => ({ to, mail: cancellation(ending.endedAt) })),
  ];
}

/** The output of the last `webhook_response` step that completed. */
function responseOf(facts: RunFacts, state: RunState, veil: Veil): JsonObject | null {
  const last = facts.plan.steps.findLast(
    ({ def, path }) => def.type === 'webhook_response' && state.steps.get(path)?.kind === 'completed',
  );
  return last === undefined ? null : (veil.mask(state.outputs[last.def.id] as JsonObject) as JsonObject);
}
