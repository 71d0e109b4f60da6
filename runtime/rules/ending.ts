import type { JsonObject } from '../../lib/json';
import type { Entry } from '../record/entry';
import type { RunState } from '../record/state';
import type { Ending, Errand, Execution } from '../store/port';
import { endOfRun, unwanted } from './children';
import type { RunFacts } from './scope';
import type { Veil } from './veil';
import { cancellation } from './waits';

/** What the end of a run writes into its document. Nothing in it shows a secret. `heard`: workflows may begin by it. */
export function endingOf(
  execution: Execution,
  facts: RunFacts,
  state: RunState,
  ended: Extract<Entry, { kind: 'run.ended' }>,
  veil: Veil,
  heard: boolean,
): Ending {
  const ending = {
    status: ended.status,
    startedAt: execution.startedAt,
    endedAt: ended.at,
    output: veil.mask(ended.output),
    error: ended.error,
    response: responseOf(facts, state, veil),
    steps: state.stepsRun,
    tokens: state.tokens,
    costUsd: state.costUsd,
  };
  return { ...ending, outbox: errandsOfEnd(execution, ending, state, heard) };
}

/**
 * Whoever waits for the run hears of its end, those that it waits for are cancelled, and its place is given back. What
 * others make of the end comes last: it may take a while.
 */
export function errandsOfEnd(
  execution: Execution,
  ending: Omit<Ending, 'outbox'>,
  state: RunState,
  heard: boolean,
): Errand[] {
  const { id, parent, concurrency } = execution;
  const errands: Errand[] = [...state.children.keys()].map((to) => ({
    kind: 'post',
    to,
    mail: cancellation(ending.endedAt, unwanted(id)),
  }));
  if (parent?.awaited === true) errands.push({ kind: 'post', to: parent.executionId, mail: endOfRun(id, ending) });
  if (concurrency !== null) errands.push({ kind: 'leave', group: concurrency.group, limit: concurrency.limit });
  if (heard) errands.push({ kind: 'announce' });
  return errands;
}

/** The output of the last `webhook_response` step that completed. */
function responseOf(facts: RunFacts, state: RunState, veil: Veil): JsonObject | null {
  const response = state.response ?? unmarkedResponse(facts, state);
  return response === null ? null : (veil.mask(response) as JsonObject);
}

/** Of a history that was written before entries said what is a response: of outermost steps only. */
function unmarkedResponse({ plan }: RunFacts, { steps }: RunState): JsonObject | null {
  const outputs = plan.root.steps.flatMap(({ def, path }) => {
    const step = def.type === 'webhook_response' ? steps.get(path) : undefined;
    return step?.kind === 'completed' ? [step.output] : [];
  });
  return outputs.at(-1) ?? null;
}
