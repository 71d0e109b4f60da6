import { jsonSize } from '../../dsl';
import { errorMessage } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { done, failFinally } from '../outcome';

/** Characters of JSON text that a node of this family takes, and that it gives. */
export const MAX_SIZE = 1024 * 1024;

/** What a node of this family cannot compute: thrown on the way, and the step's error at the end. The same input fails again. */
export class Refusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** The author's mistake, found where a schema cannot. */
export const misconfigured = (message: string): Refusal => new Refusal('invalid_config', message);

/**
 * A node's `run` made of a function over its input, which throws Refusal where it cannot. Both its input and its output
 * have at most MAX_SIZE characters and 200 levels, so that what is computed takes a bounded time on the main thread.
 */
export const computed =
  (compute: (input: JsonObject, ctx: NodeContext) => JsonObject) =>
  (ctx: NodeContext): Outcome => {
    try {
      bounded(ctx.input, 'the input');
      const output = compute(ctx.input, ctx);
      bounded(output, 'the output');
      return done(output);
    } catch (fault) {
      if (fault instanceof Refusal) return failFinally(fault.code, ctx.mask(errorMessage(fault)));
      throw fault;
    }
  };

function bounded(value: Json, name: string): void {
  if (jsonSize(value, MAX_SIZE) > MAX_SIZE) {
    throw new Refusal('too_large', `${name} is larger than 1 MiB, or nested too deep`);
  }
}
