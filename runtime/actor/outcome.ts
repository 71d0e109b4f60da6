/**
 * What a node answered, made fit for the record. A node type may be anybody's: what it returns is checked here, once,
 * so that everything behind (rules, journal, document) can rely on it.
 */
import { MAX_DURATION_MS } from '../../lib/duration';
import { errorMessage } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { OnTimeout, Outcome, StepError, Usage, WaitSpec } from '../../nodes/contract';
import { INLINE_LIMIT } from '../record/codec';

/** Longest message of an error that is recorded, in characters. */
const MESSAGE_LIMIT = 8_192;

/** A failed attempt. */
export type Failure = Extract<Outcome, { kind: 'fail' }>;

/** An outcome of which the step itself is to blame. */
export const failed = (code: string, message: string, retryable = false): Failure => ({
  kind: 'fail',
  error: { code, message },
  retryable,
});

/** The outcome as JSON has it; a failure that says why when it is none that can be recorded. Never throws. */
export function sound(answer: unknown): Outcome {
  try {
    return checked(answer);
  } catch (fault) {
    return failed('invalid_outcome', `The step answered with what cannot be recorded: ${errorMessage(fault)}`);
  }
}

function checked(answer: unknown): Outcome {
  if (!isObject(answer)) throw new Error('no outcome');
  switch (answer.kind) {
    case 'done':
      return { kind: 'done', output: asObject(answer.output, 'output'), ...asUsage(answer.usage) };
    case 'stop':
      return 'error' in answer
        ? { kind: 'stop', error: asError(answer.error) }
        : { kind: 'stop', output: asObject(answer.output, 'output') };
    case 'fail':
      return {
        kind: 'fail',
        error: asError(answer.error),
        retryable: answer.retryable === true,
        ...asDelay(answer.retryAfterMs),
        ...asUsage(answer.usage),
      };
    case 'wait':
      return { kind: 'wait', wait: asWait(answer.wait), ...asNote(answer.note) };
    case 'start_child':
      if (typeof answer.workflow !== 'string' || answer.workflow === '') throw new Error('no workflow to start');
      return {
        kind: 'start_child',
        workflow: answer.workflow,
        input: asObject(answer.input, 'input'),
        wait: answer.wait !== false,
        ...asNote(answer.note),
      };
    default:
      throw new Error(`no outcome is of the kind ${JSON.stringify(answer.kind)}`);
  }
}

/** What is no JSON (a Date, undefined, NaN) becomes what JSON makes of it, as it would by being stored and read. */
export function asJson(value: unknown): Json {
  return isPlain(value) ? value : (JSON.parse(JSON.stringify(value) ?? 'null') as Json);
}

function asObject(value: unknown, what: string): JsonObject {
  const json = asJson(value);
  if (!isObject(json)) throw new Error(`the ${what} is no object`);
  return json;
}

function asError(value: unknown): StepError {
  if (!isObject(value) || typeof value.code !== 'string' || typeof value.message !== 'string')
    throw new Error('an error without code and message');
  return { code: value.code.slice(0, MESSAGE_LIMIT), message: shortened(value.message) };
}

const shortened = (message: string): string =>
  message.length <= MESSAGE_LIMIT ? message : `${message.slice(0, MESSAGE_LIMIT)}... (${message.length} characters)`;

const asDelay = (ms: unknown): { retryAfterMs?: number } =>
  typeof ms === 'number' && ms >= 0 ? { retryAfterMs: Math.min(ms, MAX_DURATION_MS) } : {};

const asNote = (note: unknown): { note?: string } => (typeof note === 'string' ? { note } : {});

/** Only counts that are counts: they are summed up over the run. */
function asUsage(usage: unknown): { usage?: Usage } {
  if (!isObject(usage)) return {};
  const counts = USED.flatMap((name) => {
    const count = usage[name];
    return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? [[name, count] as const] : [];
  });
  return counts.length === 0 ? {} : { usage: Object.fromEntries(counts) };
}

const USED = ['input_tokens', 'output_tokens', 'cost_usd'] as const satisfies readonly (keyof Usage)[];

/** Waits are shown in the run's own document, so they stay small. */
function asWait(value: unknown): WaitSpec {
  const wait = asObject(value, 'wait');
  if (JSON.stringify(wait).length > INLINE_LIMIT) throw new Error(`a wait of more than ${INLINE_LIMIT} characters`);
  const endless = wait.until === null && wait.kind !== 'timer';
  if (!endless && (typeof wait.until !== 'number' || wait.until > MAX_INSTANT))
    throw new Error('a wait without an end');
  switch (wait.kind) {
    case 'timer':
      asObject(wait.output, 'output of the wait');
      break;
    case 'signal':
      if (typeof wait.signal !== 'string') throw new Error('a wait for a signal without a name');
      asOnTimeout(wait.onTimeout);
      break;
    case 'approval':
      if (typeof wait.message !== 'string' || !Array.isArray(wait.approvers)) throw new Error('an incomplete approval');
      asOnTimeout(wait.onTimeout);
      break;
    default:
      throw new Error(`no wait is of the kind ${JSON.stringify(wait.kind)}`);
  }
  return wait as unknown as WaitSpec;
}

function asOnTimeout(value: unknown): void {
  const policy = asObject(value, 'time-out of the wait') as unknown as OnTimeout;
  if (policy.kind === 'complete') asObject(policy.output, 'output of the time-out');
  else asError(policy.error);
}

/** The last instant that a date can name (ECMAScript 21.4.1.1). */
const MAX_INSTANT = 8.64e15;

/** Whether JSON would give the value back as it is. @throws RangeError for what is nested too deep to be walked */
function isPlain(value: unknown): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function' && Object.values(value).every(isPlain);
}
