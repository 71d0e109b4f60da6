import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { NoteOfEnd, Outcome } from '../../nodes/contract';
import { DEEPEST } from '../rules/children';
import type { Settled } from '../rules/event';
import type { Execution } from '../store/port';
import type { ActorDeps } from './deps';
import type { Flight } from './flight';
import { failed } from './outcome';

/** Pause before somebody is asked again who did not answer. */
const AGAIN_MS = 500;

/** What the start of a child needs from its parent's actor. */
export interface Starting {
  readonly parent: Execution;
  readonly path: string;
  readonly childId: string;
  readonly clock: Clock;
  readonly flight: Flight;
  /** Of the step that starts it; null without one. */
  readonly traceparent: string | null;
  readonly start: ActorDeps['startChild'];
  /** Records the intent; resolves when it is durable. @throws ClaimLost */
  intend(): Promise<void>;
  /** True once nobody waits for the child any more, on whichever host. */
  unwanted(): boolean;
  cancel(): Promise<unknown>;
  warn(message: string): void;
}

/**
 * Starts the run that a step asks for. A start without an answer is repeated until there is one, or the parent ends: it
 * may have happened, and as the id is the same, it happens once.
 */
export async function startChild(s: Starting, asked: Extract<Outcome, { kind: 'start_child' }>): Promise<Settled> {
  const settled = await start(s, asked);
  if (asked.note === undefined) return settled;
  // The step is told of it instead of ending by it.
  if (settled.kind === 'done') return noted(asked.note, { ok: true, output: settled.output });
  if (settled.kind === 'fail' && !settled.retryable) return noted(asked.note, { ok: false, error: settled.error });
  return settled.kind === 'wait' ? { ...settled, note: asked.note } : settled;
}

const noted = (note: string, end: NoteOfEnd): Settled => ({ kind: 'noted', note, end });

async function start(s: Starting, asked: Extract<Outcome, { kind: 'start_child' }>): Promise<Settled> {
  const { parent, path, childId, flight } = s;
  const depth = parent.depth + 1;
  if (depth > DEEPEST) return failed('too_deep', `Workflows start each other at most ${DEEPEST} deep`);
  await s.intend();
  const child = {
    executionId: childId,
    tenantId: parent.tenantId,
    parent: { executionId: parent.id, path, awaited: asked.wait },
    depth,
    workflow: asked.workflow,
    input: asked.input,
    requestId: parent.requestId,
    traceparent: s.traceparent,
  };
  while (!flight.aborted) {
    try {
      const started = await s.start(child);
      if (started.kind === 'refused') return { kind: 'fail', error: started.error, retryable: started.retryable };
      // Whoever cancelled the step has cancelled it too, but perhaps before it was there.
      if (asked.wait && s.unwanted()) await s.cancel();
      return asked.wait
        ? { kind: 'wait', wait: { kind: 'child', executionId: childId, until: null } }
        : { kind: 'done', output: { execution_id: childId, status: 'running' } };
    } catch (fault) {
      // Nobody waits for the answer any more.
      if (flight.aborted) break;
      s.warn(`Execution ${childId} cannot be started, trying again: ${errorMessage(fault)}`);
      await new Promise<void>((resolve) => s.clock.after(AGAIN_MS, resolve));
    }
  }
  return failed('not_started', `Execution ${childId} could not be started`, true);
}
