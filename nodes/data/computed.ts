import { setImmediate } from 'node:timers/promises';
import { jsonSize } from '../../dsl';
import { ComputeError, defineTask, sliceWork } from '../../lib/compute';
import { errorMessage } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import type { NodeContext, Outcome } from '../contract';
import { done, failFinally } from '../outcome';
import { inlineWork, NeedsThread } from './budget';
import { Refusal } from './refusal';

export { misconfigured, Refusal } from './refusal';

/** Characters of JSON text that a node of this family takes, and that it gives. */
export const MAX_SIZE = 1024 * 1024;
/** Input with more characters is computed on a thread: the way there and back takes less time than the work. */
const MAX_INLINE_SIZE = 16 * 1024;

/** A pure function over the input of a step. @throws Refusal */
type Computation = (input: JsonObject, ctx: Pick<NodeContext, 'now'>) => JsonObject;

interface Job {
  readonly name: string;
  readonly now: number;
  readonly input: JsonObject;
}

type JobResult =
  | { readonly kind: 'done'; readonly output: JsonObject }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

const computations = new Map<string, Computation>();

/**
 * The `run` of a node type from a pure function, which may throw Refusal. Input and output have at most MAX_SIZE characters
 * and 200 levels. Small inputs are computed at once; large ones, and those that need much work, on a compute thread.
 */
export const computed = (name: string, compute: Computation): ((ctx: NodeContext) => Outcome | Promise<Outcome>) => {
  computations.set(name, compute);
  return (ctx) => {
    const { input, now } = ctx;
    const size = jsonSize(input, MAX_SIZE);
    if (size > MAX_SIZE) return outcomeOf(tooLarge('the input'), ctx);
    const job = { name, now, input };
    const result = size > MAX_INLINE_SIZE ? null : inlineResult(() => resultOf(compute, job));
    return result === null ? onThread(job, ctx) : outcomeOf(result, ctx);
  };
};

/** Text in and text out, as bytes that are handed over: copying objects between threads costs more than parsing them. */
export const computeTask = defineTask('nodes/data/computations', 'computeTask', (bytes: Uint8Array): Uint8Array => {
  const job = JSON.parse(new TextDecoder().decode(bytes)) as Job;
  return new TextEncoder().encode(JSON.stringify(resultOf(computations.get(job.name) as Computation, job)));
});

/** Null when the work is too long for the main thread. */
function inlineResult(work: () => JobResult): JobResult | null {
  try {
    const sliced = sliceWork(() => inlineWork(work));
    return sliced.kind === 'done' ? sliced.value : null;
  } catch (fault) {
    if (fault instanceof NeedsThread) return null;
    throw fault;
  }
}

async function onThread(job: Job, ctx: NodeContext): Promise<Outcome> {
  // The pool refuses aborted work.
  const bytes = new TextEncoder().encode(ctx.signal.aborted ? '' : await stringifyJsonSliced(job));
  try {
    const options = { transfer: [bytes.buffer], signal: ctx.signal };
    const result = await ctx.capabilities.compute.run(computeTask, bytes, options);
    // Written by `computeTask`.
    const parsed = (await parseJsonSliced(result, NO_LIMITS)) as unknown as JobResult;
    // What follows walks the output several times; others have their turn in between.
    await setImmediate();
    return outcomeOf(parsed, ctx);
  } catch (fault) {
    if (!(fault instanceof ComputeError)) throw fault;
    if (fault.code === 'timed_out' || fault.code === 'out_of_memory')
      return failFinally('too_large', 'this takes too much work for one step; divide it');
    return { ...failFinally(fault.code, ctx.redact(fault.message)), retryable: fault.retryable };
  }
}

function resultOf(compute: Computation, { input, now }: Job): JobResult {
  try {
    const output = compute(input, { now });
    return jsonSize(output, MAX_SIZE) > MAX_SIZE ? tooLarge('the output') : { kind: 'done', output };
  } catch (fault) {
    if (fault instanceof Refusal) return { kind: 'refused', code: fault.code, message: errorMessage(fault) };
    throw fault;
  }
}

const outcomeOf = (result: JobResult, ctx: Pick<NodeContext, 'redact'>): Outcome =>
  result.kind === 'done' ? done(result.output) : failFinally(result.code, ctx.redact(result.message));

const tooLarge = (name: string): JobResult => ({
  kind: 'refused',
  code: 'too_large',
  message: `${name} is larger than 1 MiB, or nested too deep`,
});
