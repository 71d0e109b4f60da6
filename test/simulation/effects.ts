import type { Json, JsonObject } from '../../lib/json';
import type { NodeContext, NodeType, OnInterrupted, Outcome } from '../../nodes/contract';
import { noise } from './chance';
import { EFFECTS, type EffectType } from './flows';
import type { Machine } from './machine';
import type { Timeline } from './timeline';

/** One attempt of an external effect. */
export interface Doing {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
  readonly type: EffectType;
  readonly machine: Machine;
  /** The sub-step, for a step with several. */
  readonly part?: string;
}

/** Separates the run from the path in an idempotency key; occurs in neither. */
export const KEY_SEPARATOR = '|';

/** The connection that steps of these types share. */
export const CONNECTION = 'api';
export const usesConnection = (type: EffectType): boolean => type === 'effect' || type === 'effect_once';

/** The name of an attempt. */
export const keyOf = ({ run, path, attempt, part }: Doing): string =>
  `${run}/${path}#${attempt}${part === undefined ? '' : ` (${part})`}`;

export interface EffectsDeps {
  readonly seed: number;
  readonly timeline: Timeline;
  readonly onInterrupted: (type: EffectType) => OnInterrupted;
  readonly began: (doing: Doing) => void;
  /** Called when a step has ended its process. */
  readonly killed: (machine: Machine) => void;
  readonly ended: (doing: Doing, how: 'done' | 'aborted') => void;
}

/** Duration of an attempt: mostly short, sometimes long enough for its host to die meanwhile. */
function durationMs(seed: number, key: string): number {
  const luck = noise(seed, `takes ${key}`);
  const length = noise(seed, `length ${key}`);
  return luck < 0.8 ? Math.round(length * 40) : Math.round(200 + length * 2_300);
}

/** The node types of one process. Their effects are external: they end at their own time, or when they are aborted. */
export function effectNodes(machine: Machine, deps: EffectsDeps): ReadonlyMap<string, NodeType> {
  const nodes = (Object.keys(EFFECTS) as EffectType[]).map((type): NodeType => {
    return {
      type,
      version: 1,
      title: type,
      description: '',
      category: 'Custom',
      effect: type === 'think' || type === 'lethal' ? 'pure' : 'write',
      onInterrupted: deps.onInterrupted(type),
      ...(usesConnection(type) ? { connections: [CONNECTION], needsConnection: true } : {}),
      input: {},
      output: {},
      run: (context) => work(type, context, machine, deps),
    };
  });
  return new Map(nodes.map((node) => [node.type, node]));
}

function work(type: EffectType, context: NodeContext, machine: Machine, deps: EffectsDeps): Promise<Outcome> {
  const { idempotencyKey, attempt, input, signal } = context;
  if (type === 'parts') return parts(context, machine, deps);
  if (type === 'lethal') {
    deps.killed(machine);
    return new Promise(() => {});
  }
  return act({ ...placeOf(idempotencyKey), attempt, type, machine }, signal, deps, () => outcomeOf(input, attempt));
}

const placeOf = (key: string): { run: string; path: string } => {
  const end = key.indexOf(KEY_SEPARATOR);
  return { run: key.slice(0, end), path: key.slice(end + 1) };
};

/** One sub-step, a wait, another sub-step, as in a step with iterations. */
async function parts(context: NodeContext, machine: Machine, deps: EffectsDeps): Promise<Outcome> {
  const { attempt, input, signal } = context;
  const doing = { ...placeOf(context.idempotencyKey), attempt, type: 'parts', machine } as const;
  const once = (part: string, v: number): Promise<Json> =>
    context.once(part, async () => {
      const outcome = await act({ ...doing, part }, signal, deps, () => outcomeOf({ v, fails: 0 }, 1));
      if (outcome.kind !== 'done') throw new Error('The part was aborted');
      return { value: outcome.output.v as Json };
    });
  const first = await once('first', input.v as number);
  if (context.checkpoint('rest') === undefined)
    return { kind: 'wait', wait: { kind: 'timer', until: context.now + 600, output: {} }, note: 'rest' };
  return { kind: 'done', output: { v: await once('second', first as number) } };
}

/** External effects in progress: each ends at its own time, or when it is aborted. */
function act(doing: Doing, signal: AbortSignal, deps: EffectsDeps, outcome: () => Outcome): Promise<Outcome> {
  const { machine } = doing;
  deps.began(doing);
  return new Promise((resolve) => {
    let over = false;
    const end = (how: 'done' | 'aborted', came: Outcome): void => {
      if (over) return;
      over = true;
      deps.ended(doing, how);
      resolve(came);
    };
    const takes = durationMs(deps.seed, keyOf(doing));
    deps.timeline.after(takes, () => machine.enter('answer', () => end('done', outcome())));
    signal.addEventListener('abort', () => end('aborted', failure('aborted')), { once: true });
  });
}

/** One more than the input, after as many failed attempts as the input asks for. */
function outcomeOf(input: JsonObject, attempt: number): Outcome {
  if (attempt <= (input.fails as number)) return failure('flaky');
  return { kind: 'done', output: { v: (input.v as number) + 1 } };
}

const failure = (code: string): Outcome => ({ kind: 'fail', error: { code, message: code }, retryable: true });
