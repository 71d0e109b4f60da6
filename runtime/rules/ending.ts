import type { JsonObject } from '../../lib/json';
import type { Entry } from '../record/entry';
import type { RunState } from '../record/state';
import type { Ending, Execution } from '../store/port';
import type { RunFacts } from './scope';
import type { Veil } from './veil';

/** What the end of a run writes into its document. Nothing in it shows a secret. */
export function endingOf(
  execution: Execution,
  facts: RunFacts,
  state: RunState,
  ended: Extract<Entry, { kind: 'run.ended' }>,
  veil: Veil,
): Ending {
  return {
    status: ended.status,
    startedAt: execution.startedAt,
    endedAt: ended.at,
    output: veil.mask(ended.output),
    error: ended.error,
    response: responseOf(facts, state, veil),
    tokens: state.tokens,
    costUsd: state.costUsd,
    outbox: [],
  };
}

/** The output of the last `webhook_response` step that completed. */
function responseOf(facts: RunFacts, state: RunState, veil: Veil): JsonObject | null {
  const last = facts.plan.steps.findLast(
    ({ def, path }) => def.type === 'webhook_response' && state.steps.get(path)?.kind === 'completed',
  );
  return last === undefined ? null : (veil.mask(state.outputs[last.def.id] as JsonObject) as JsonObject);
}
