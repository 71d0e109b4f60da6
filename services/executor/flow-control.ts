import {
  type EvaluationContext,
  type PreparedPlan,
  type PreparedRate,
  type Template,
  renderKey,
  renderSliced,
} from '../../dsl';
import type { Compute } from '../../lib/compute';
import { assertNotRetryable } from '../../lib/compute/unavailable';
import { sha256 } from '../../lib/crypto';
import { AppError, errorMessage } from '../../lib/errors';
import type { Json } from '../../lib/json';
import { DEFAULT_PRIORITY, MAX_PRIORITY, MIN_PRIORITY, rankOf } from '../../runtime/core/decide/priority';
import type { GatheringRule } from '../../runtime/core/decide/gathering';
import type { StartRate, Throttle } from '../../runtime/core/decide/throttle';
import type { Execution, RunWarning } from '../../runtime/core/model';

/** A longer key is shown as its SHA-256. */
const MAX_KEY_CHARS = 256;

/** The run that starts, as far as its limits depend on it. */
type Starting = Pick<Execution, 'tenantId' | 'workflowId' | 'startedAt'>;

/** A limit of starts with the value of its key. */
export interface KeyedRate extends StartRate {
  readonly window: string;
  readonly key: string;
  readonly name?: string;
}

/** The throttle of a new run; null when it has none, or its key is empty. @throws AppError invalid_request, unavailable */
export async function throttleOf(
  compute: Compute,
  { throttle }: Pick<PreparedPlan, 'throttle'>,
  run: Starting,
  env: EvaluationContext,
): Promise<Throttle | null> {
  const rate = await keyed(compute, 'throttle', throttle, run, env);
  return rate === null ? null : { ...rate, passed: false };
}

/** The rate limit of a new run; null when it has none, or its key is empty. @throws AppError invalid_request, unavailable */
export const rateLimitOf = (
  compute: Compute,
  { rateLimit }: Pick<PreparedPlan, 'rateLimit'>,
  run: Starting,
  env: EvaluationContext,
): Promise<KeyedRate | null> => keyed(compute, 'rate_limit', rateLimit, run, env);

/** How the start is gathered with others; null when it is a run of its own. @throws AppError invalid_request, unavailable */
export async function gatheringOf(
  compute: Compute,
  { gathering }: Pick<PreparedPlan, 'gathering'>,
  { tenantId, workflowId }: Starting,
  env: EvaluationContext,
): Promise<GatheringRule | null> {
  if (gathering === null) return null;
  const { rule } = gathering;
  const text = await keyOf(compute, rule.kind, gathering, env);
  if (text === null) return null;
  const key = shownKey(text);
  const slot = sha256(JSON.stringify([rule.kind, tenantId, workflowId, key]));
  const { kind, periodMs } = rule;
  return kind === 'batch'
    ? { kind, slot, key, periodMs, maxWaitMs: periodMs, maxSize: rule.maxSize }
    : { kind, slot, key, periodMs, maxWaitMs: rule.maxWaitMs, maxSize: null };
}

const shownKey = (text: string): string => (text.length <= MAX_KEY_CHARS ? text : sha256(text));

async function keyed(
  compute: Compute,
  kind: 'throttle' | 'rate_limit',
  rate: PreparedRate | null,
  { tenantId, workflowId }: Starting,
  env: EvaluationContext,
): Promise<KeyedRate | null> {
  if (rate === null) return null;
  const text = await keyOf(compute, kind, rate, env);
  if (text === null) return null;
  const { limit, periodMs, burst, name } = rate;
  const key = shownKey(text);
  const own = { limit, periodMs, burst, key };
  if (name === undefined) return { ...own, window: sha256(JSON.stringify([kind, tenantId, workflowId, key])) };
  return { ...own, name, window: sha256(JSON.stringify([kind, tenantId, 'limit', name, key])) };
}

/** Null: the run is not limited. */
async function keyOf(
  compute: Compute,
  kind: string,
  { key }: { readonly key: Template | null },
  env: EvaluationContext,
): Promise<string | null> {
  if (key === null) return '';
  try {
    const text = await renderKey(compute, key, env);
    return text === '' ? null : text;
  } catch (cause) {
    assertNotRetryable(cause);
    const message = `The key of '${kind}' of the workflow cannot be evaluated: ${errorMessage(cause)}`;
    throw new AppError('invalid_request', message, undefined, { cause });
  }
}

/** The rank of a new run; a priority that is none counts as the default, with a warning, as it should not refuse a start. */
export async function rankOfStart(
  compute: Compute,
  { priority }: Pick<PreparedPlan, 'priority'>,
  { startedAt }: Starting,
  env: EvaluationContext,
): Promise<{ readonly rank?: number; readonly warning?: RunWarning }> {
  if (priority === null) return {};
  const found = await renderSliced(compute, priority, env).then(priorityIn, (fault: unknown) => errorMessage(fault));
  if (typeof found === 'number') return found === DEFAULT_PRIORITY ? {} : { rank: rankOf(startedAt, found) };
  return { warning: { path: 'priority', message: `The priority counts as ${DEFAULT_PRIORITY}: ${found}` } };
}

/** The priority, or why the value is none. */
function priorityIn(value: Json): number | string {
  if (value === null) return DEFAULT_PRIORITY;
  if (typeof value === 'number' && Number.isInteger(value) && value >= MIN_PRIORITY && value <= MAX_PRIORITY)
    return value;
  return `it must be a whole number from ${MIN_PRIORITY} to ${MAX_PRIORITY}`;
}
