import type { JsonObject } from '../../lib/json';
import type { NodeContext, NodeType, OnInterrupted, Outcome } from '../../nodes/contract';
import { noise } from './chance';
import { EFFECTS, type EffectType } from './flows';
import type { Machine } from './machine';
import type { Timeline } from './timeline';

/** One attempt at work on the outside world. */
export interface Doing {
  readonly run: string;
  readonly path: string;
  readonly attempt: number;
  readonly type: EffectType;
  readonly machine: Machine;
}

export interface EffectsDeps {
  readonly seed: number;
  readonly timeline: Timeline;
  readonly onInterrupted: (type: EffectType) => OnInterrupted;
  readonly began: (doing: Doing) => void;
  readonly ended: (doing: Doing, how: 'done' | 'aborted') => void;
}

/** How long an attempt takes: mostly little, sometimes long enough for its host to die meanwhile. */
function durationMs(seed: number, key: string): number {
  const luck = noise(seed, `takes ${key}`);
  const length = noise(seed, `length ${key}`);
  return luck < 0.8 ? Math.round(length * 40) : Math.round(200 + length * 2_300);
}

/** The node types of one process. Their work goes on outside: it ends at its own time, or when it is aborted. */
export function effectNodes(machine: Machine, deps: EffectsDeps): ReadonlyMap<string, NodeType> {
  const nodes = (Object.keys(EFFECTS) as EffectType[]).map((type): NodeType => {
    return {
      type,
      version: 1,
      title: type,
      description: '',
      category: 'simulation',
      effect: type === 'think' ? 'pure' : 'write',
      onInterrupted: deps.onInterrupted(type),
      input: {},
      output: {},
      run: (context) => work(type, context, machine, deps),
    };
  });
  return new Map(nodes.map((node) => [node.type, node]));
}

function work(type: EffectType, context: NodeContext, machine: Machine, deps: EffectsDeps): Promise<Outcome> {
  const { idempotencyKey, attempt, input, signal } = context;
  const [run = '', path = ''] = idempotencyKey.split('/');
  const doing: Doing = { run, path, attempt, type, machine };
  deps.began(doing);
  return new Promise((resolve) => {
    let over = false;
    const end = (how: 'done' | 'aborted', outcome: Outcome): void => {
      if (over) return;
      over = true;
      deps.ended(doing, how);
      resolve(outcome);
    };
    const takes = durationMs(deps.seed, `${idempotencyKey}#${attempt}`);
    deps.timeline.after(takes, () => machine.enter('answer', () => end('done', outcomeOf(input, attempt))));
    signal.addEventListener('abort', () => end('aborted', failure('aborted')), { once: true });
  });
}

/** One more than it was given, after as many failed attempts as it was told. */
function outcomeOf(input: JsonObject, attempt: number): Outcome {
  if (attempt <= (input.fails as number)) return failure('flaky');
  return { kind: 'done', output: { v: (input.v as number) + 1 } };
}

const failure = (code: string): Outcome => ({ kind: 'fail', error: { code, message: code }, retryable: true });
