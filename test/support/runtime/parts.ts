import type { Json, JsonObject } from '../../../lib/json';
import type { NodeContext, NodeType, Outcome } from '../../../nodes/contract';
import type { World } from './world';

/** A part of a step: a sub-step that is done once, or a wait. */
type Part = { do: string } | { wait: string; for: number } | { ask: string } | { call: string; workflow: string };

/**
 * A step that executes its parts in order, as an agent does its turns, and returns their results. How often
 * each was done is counted as `<path>#<part>`. With `unsure`, a part whose outcome is unknown is not repeated.
 */
export const partsNode = (world: World): NodeType => ({
  type: 'parts',
  version: 1,
  title: 'parts',
  description: '',
  category: 'Custom',
  effect: 'write',
  onInterrupted: 'retry',
  input: {},
  output: {},
  run: async (ctx) => {
    const came: JsonObject = {};
    for (const part of ctx.input.parts as Part[]) {
      const outcome = await oneOf(world, ctx, part, came);
      if (outcome !== null) return outcome;
    }
    return { kind: 'done', output: came };
  },
});

async function oneOf(world: World, ctx: NodeContext, part: Part, came: JsonObject): Promise<Outcome | null> {
  if ('do' in part) {
    came[part.do] = await ctx.once(part.do, () => act(world, ctx, part.do), unsure(ctx));
    return null;
  }
  const key = 'wait' in part ? part.wait : 'ask' in part ? part.ask : part.call;
  const noted = ctx.checkpoint(key);
  if (noted !== undefined) {
    came[key] = noted;
    return null;
  }
  if ('call' in part) return { kind: 'start_child', workflow: part.workflow, input: { key }, wait: true, note: key };
  if ('wait' in part)
    return { kind: 'wait', wait: { kind: 'timer', until: ctx.now + part.for, output: {} }, note: key };
  const onTimeout = { kind: 'complete', output: {} } as const;
  const wait = { kind: 'approval', message: key, approvers: [], form: null, until: null, onTimeout } as const;
  return { kind: 'wait', wait: { ...wait, approvers: [] }, note: key };
}

async function act(world: World, ctx: NodeContext, part: string) {
  const path = `${ctx.idempotencyKey.slice(ctx.idempotencyKey.indexOf('/') + 1)}#${part}`;
  const n = (world.outside.ran.get(path) ?? 0) + 1;
  world.outside.ran.set(path, n);
  world.outside.seen.push({ path, input: ctx.input, key: ctx.keyOf(part) });
  const answer = world.parts.get(path);
  const value: Json = answer === undefined ? { part } : await answer(n);
  return { value, usage: { input_tokens: 10, output_tokens: 1, cost_usd: 0.5 } };
}

const unsure = (ctx: NodeContext) => (ctx.input.unsure === true ? () => ({ value: 'unknown' }) : undefined);
