/**
 * Validates and normalizes the outcome of a node. Node types may be written by anyone, so outcomes are checked once,
 * here; rules, journal and documents rely on it.
 */
import { MAX_DURATION_MS } from '../../lib/duration';
import { errorMessage } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import { TimeSlice } from '../../lib/time-slices';
import { isLong } from '../core/secrets/walk-json';
import type { OnTimeout, Outcome, StepError, Usage, WaitSpec } from '../../nodes/contract';
import { MAX_INLINE_CHARS } from '../core/entries/codec';

/** Maximum length of a recorded error message. */
const MAX_MESSAGE_CHARS = 8_192;

/** A failed attempt. */
export type Failure = Extract<Outcome, { kind: 'fail' }>;

/** A failure of the step itself. */
export const failed = (code: string, message: string, retryable = false): Failure => ({
  kind: 'fail',
  error: { code, message },
  retryable,
});

/** The outcome as plain JSON; a failure with the reason when it cannot be recorded. Never throws. */
export async function normalizeOutcome(answer: unknown): Promise<Outcome> {
  const inline = normalizeInline(answer);
  if (inline !== null) return inline;
  try {
    const { output, usage } = answer as JsonObject;
    return { kind: 'done', output: await asLongObject(output), ...asUsage(usage) };
  } catch (fault) {
    return unrecordable(fault);
  }
}

/** `normalizeOutcome` at once; null for a long output. */
export function normalizeInline(answer: unknown): Outcome | null {
  try {
    return isObject(answer) && answer.kind === 'done' && isLong(answer.output as Json) ? null : checked(answer);
  } catch (fault) {
    return unrecordable(fault);
  }
}

const unrecordable = (fault: unknown): Failure =>
  failed('invalid_outcome', `The step returned an outcome that cannot be recorded: ${errorMessage(fault)}`);

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

/** Converts a value that is not JSON (a Date, undefined, NaN) as a round trip through JSON would. */
export function asJson(value: unknown): Json {
  return isPlain(value) ? value : (JSON.parse(JSON.stringify(value) ?? 'null') as Json);
}

/** As `asObject`, in slices of time. */
async function asLongObject(value: unknown): Promise<JsonObject> {
  const json = (await isPlainSliced(value, new TimeSlice()))
    ? (value as Json)
    : await parseJsonSliced((await stringifyJsonSliced(value)) ?? 'null', NO_LIMITS);
  if (!isObject(json)) throw new Error('the output is no object');
  return json;
}

function asObject(value: unknown, what: string): JsonObject {
  const json = asJson(value);
  if (!isObject(json)) throw new Error(`the ${what} is no object`);
  return json;
}

function asError(value: unknown): StepError {
  if (!isObject(value) || typeof value.code !== 'string' || typeof value.message !== 'string')
    throw new Error('an error without code and message');
  return { code: value.code.slice(0, MAX_MESSAGE_CHARS), message: shortened(value.message) };
}

const shortened = (message: string): string =>
  message.length <= MAX_MESSAGE_CHARS
    ? message
    : `${message.slice(0, MAX_MESSAGE_CHARS)}... (${message.length} characters)`;

const asDelay = (ms: unknown): { retryAfterMs?: number } =>
  typeof ms === 'number' && ms >= 0 ? { retryAfterMs: Math.min(ms, MAX_DURATION_MS) } : {};

const asNote = (note: unknown): { note?: string } => (typeof note === 'string' ? { note } : {});

/** Only valid counts: they are summed up over the run. */
function asUsage(usage: unknown): { usage?: Usage } {
  if (!isObject(usage)) return {};
  const counts = USED.flatMap((name) => {
    const count = usage[name];
    return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? [[name, count] as const] : [];
  });
  return counts.length === 0 ? {} : { usage: Object.fromEntries(counts) };
}

const USED = ['input_tokens', 'output_tokens', 'cost_usd'] as const satisfies readonly (keyof Usage)[];

/** Waits are stored in the run's document, so their size is limited. */
function asWait(value: unknown): WaitSpec {
  const wait = asObject(value, 'wait');
  if (JSON.stringify(wait).length > MAX_INLINE_CHARS)
    throw new Error(`a wait of more than ${MAX_INLINE_CHARS} characters`);
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
    case 'form':
      asPage(wait);
      asOnTimeout(wait.onTimeout);
      break;
    default:
      throw new Error(`no wait is of the kind ${JSON.stringify(wait.kind)}`);
  }
  return wait as unknown as WaitSpec;
}

function asPage({ title, description, submit, access, form }: JsonObject): void {
  const isComplete = [title, description, submit].every((text) => typeof text === 'string') && isObject(form);
  if (!isComplete || (access !== 'page' && access !== 'link')) throw new Error('an incomplete form');
}

function asOnTimeout(value: unknown): void {
  const policy = asObject(value, 'time-out of the wait') as unknown as OnTimeout;
  if (policy.kind === 'complete') asObject(policy.output, 'output of the time-out');
  else asError(policy.error);
}

/** The last instant that a date can name (ECMAScript 21.4.1.1). */
const MAX_INSTANT = 8.64e15;

/** Small members between two checks of the clock. */
const MEMBERS_PER_CLOCK_READ = 64;

/** Maximum depth of a large output, which may be circular. */
const MAX_LEVELS = 250;

/** The same as `isPlain` in slices. @throws RangeError for what is nested too deep */
async function isPlainSliced(value: unknown, slice: TimeSlice, level = 0): Promise<boolean> {
  if (level > MAX_LEVELS) throw new RangeError(`the output is nested more than ${MAX_LEVELS} deep`);
  if (typeof value !== 'object' || value === null || !isContainer(value)) return isPlain(value);
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const [index, member] of members.entries()) {
    if (!(isLong(member as Json) ? await isPlainSliced(member, slice, level + 1) : isPlain(member))) return false;
    if (index % MEMBERS_PER_CLOCK_READ === 0 && slice.due) await slice.pause();
  }
  return true;
}

/** A list, or a plain object without `toJSON`. */
function isContainer(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== 'function';
}

/** True when a round trip through JSON keeps the value. @throws RangeError for a value nested too deep */
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
  return isContainer(value) && Object.values(value).every(isPlain);
}
