import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { CheckpointedResult, Outcome } from '../../nodes/contract';
import { MAX_DEPTH } from '../core/decide/children';
import type { AttemptResult } from '../core/decide/event';
import type { Execution } from '../core/model';
import type { ActorDeps } from './deps';
import type { InFlightAttempt } from './in-flight-attempt';
import { failed } from './normalize-outcome';

/** Pause before a request without an answer is repeated. */
const RETRY_MS = 500;

/** Dependencies of the start of a child. */
interface ChildStarter {
  readonly parent: Execution;
  readonly path: string;
  readonly childId: string;
  readonly clock: Clock;
  readonly attempt: InFlightAttempt;
  /** `traceparent` of the step; null without tracing. */
  readonly traceparent: string | null;
  readonly start: ActorDeps['startChild'];
  /** Records the intent; resolves when it is durable. @throws ClaimLost */
  intend(): Promise<void>;
  /** True once the child is not needed any more, on any host. */
  parentEnded(): boolean;
  cancel(): Promise<unknown>;
  warn(message: string): void;
}

/**
 * Starts the child that a step requests. A start without an answer is repeated until there is one, or the parent ends:
 * it may have happened, and as the id is the same, it happens once.
 */
export async function startChild(
  s: ChildStarter,
  request: Extract<Outcome, { kind: 'start_child' }>,
): Promise<AttemptResult> {
  const result = await start(s, request);
  if (request.note === undefined) return result;
  // The result is recorded as a checkpoint, and the step continues.
  if (result.kind === 'done') return noted(request.note, { ok: true, output: result.output });
  if (result.kind === 'fail' && !result.retryable) return noted(request.note, { ok: false, error: result.error });
  return result.kind === 'wait' ? { ...result, note: request.note } : result;
}

const noted = (note: string, end: CheckpointedResult): AttemptResult => ({ kind: 'noted', note, end });

async function start(s: ChildStarter, request: Extract<Outcome, { kind: 'start_child' }>): Promise<AttemptResult> {
  const { parent, path, childId, attempt: inFlight } = s;
  const depth = parent.depth + 1;
  if (depth > MAX_DEPTH) return failed('too_deep', `Workflows start each other at most ${MAX_DEPTH} deep`);
  await s.intend();
  const child = {
    executionId: childId,
    tenantId: parent.tenantId,
    parent: { executionId: parent.id, path, awaited: request.wait },
    depth,
    workflow: request.workflow,
    input: request.input,
    requestId: parent.requestId,
    traceparent: s.traceparent,
  };
  while (!inFlight.aborted) {
    try {
      const started = await s.start(child);
      if (started.kind === 'refused') return { kind: 'fail', error: started.error, retryable: started.retryable };
      // The cancellation of the step also cancelled the child, but perhaps before it existed.
      if (request.wait && s.parentEnded()) await s.cancel();
      return request.wait
        ? { kind: 'wait', wait: { kind: 'child', executionId: childId, until: null } }
        : { kind: 'done', output: { execution_id: childId, status: 'running' } };
    } catch (fault) {
      // The attempt was aborted meanwhile.
      if (inFlight.aborted) break;
      s.warn(`Execution ${childId} cannot be started, trying again: ${errorMessage(fault)}`);
      await new Promise<void>((resolve) => s.clock.after(RETRY_MS, resolve));
    }
  }
  return failed('not_started', `Execution ${childId} could not be started`, true);
}
