import { iterationOf, planPath, type PreparedPlan, stepIdOf } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import { publicError } from '../../lib/public-error';
import type { Entry, RunError, StepEntry } from '../../runtime/core/entries/entry';
import { redactPlaceholders } from '../../runtime/core/secrets/secret-redactor';
import type { RunEvent, StepStatus } from '../../contracts/executions/views';

type Audience = 'tenant' | 'public';
type UnnumberedEvent = Omit<RunEvent, 'position'>;

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * The stream events of journal entries, one for each; `after` entries precede them. `public` events contain the progress and
 * the output of a run, but not its input, inputs and outputs of steps, or error messages.
 */
export function runEvents(
  plan: PreparedPlan,
  entries: readonly Entry[],
  after: number,
  audience: Audience,
): RunEvent[] {
  return entries.map((entry, index) => ({ position: after + index + 1, ...eventOf(plan, entry, audience) }));
}

function eventOf(plan: PreparedPlan, entry: Entry, audience: Audience): UnnumberedEvent {
  switch (entry.kind) {
    case 'run.paused':
    case 'run.resumed':
      return { event: 'status', data: pauseData(entry, audience) };
    case 'run.closing':
      return {
        event: 'status',
        data: { status: 'running', closing: entry.status, error: shown(entry.error, audience), at: iso(entry.at) },
      };
    case 'run.ended':
      return {
        event: 'end',
        data: {
          status: entry.status,
          output: redactPlaceholders(entry.output),
          error: shown(entry.error, audience),
          ended_at: iso(entry.at),
        },
      };
    default:
      return stepEvent(plan, entry, audience);
  }
}

function pauseData(
  { kind, at, by, reason }: Extract<Entry, { kind: 'run.paused' | 'run.resumed' }>,
  audience: Audience,
): JsonObject {
  const data = { status: 'running', paused: kind === 'run.paused', at: iso(at) };
  return audience === 'public' ? data : { ...data, by, reason };
}

const shown = (error: RunError | null, audience: Audience): JsonObject | null =>
  error === null ? null : audience === 'public' ? { ...publicError(error) } : { ...error };

const STATUS: Record<StepEntry['kind'], StepStatus> = {
  'step.started': 'running',
  'step.opened': 'running',
  'loop.turn': 'running',
  'loop.item': 'running',
  'step.noted': 'running',
  'step.waiting': 'waiting',
  'step.resumed': 'running',
  'step.completed': 'completed',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.cancelled': 'cancelled',
};

function stepEvent(plan: PreparedPlan, entry: StepEntry, audience: Audience): UnnumberedEvent {
  const data: JsonObject = {
    step_id: stepIdOf(entry.path),
    path: entry.path,
    iteration: iterationOf(entry.path),
    type: plan.byPath.get(planPath(entry.path))?.def.type ?? 'unknown',
    status: entry.kind === 'step.failed' && entry.retryAt !== null ? 'retrying' : STATUS[entry.kind],
    attempt: 'attempt' in entry ? entry.attempt : null,
    at: iso(entry.at),
  };
  if (entry.kind === 'step.failed') {
    data.error = audience === 'public' ? { code: 'step_failed', message: 'The step failed' } : { ...entry.error };
    if (entry.retryAt !== null) data.retry_at = iso(entry.retryAt);
  }
  if (entry.kind === 'step.waiting')
    data.waiting = { kind: entry.wait.kind, until: entry.wait.until === null ? null : iso(entry.wait.until) };
  // An iteration has started, an item is finished.
  if (entry.kind === 'loop.turn') data.turn = entry.index;
  if (entry.kind === 'loop.item') data.item = entry.index;
  if (audience === 'tenant') addValues(data, entry);
  return { event: 'step', data };
}

/** Fields that only the tenant sees: values and step configuration. */
function addValues(data: JsonObject, entry: StepEntry): void {
  if ('input' in entry && entry.input !== undefined) data.input = redactPlaceholders(entry.input);
  if (entry.kind === 'step.completed') data.output = redactPlaceholders(entry.output);
  if (entry.kind === 'step.noted') {
    data.part = entry.key;
    if (entry.value !== undefined) data.value = redactPlaceholders(entry.value);
  }
}
