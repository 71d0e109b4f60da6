import { compile, type NodeTypeInfo, type PreparedPlan, prepare, type WorkflowDocument } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { OnInterrupted } from '../../nodes/contract';
import { builtIn } from '../support/vocabulary';

/** Step types of the simulation; they differ in what an interruption means. `think` has no effect outside. */
export const EFFECTS = {
  effect: 'retry',
  effect_once: 'fail',
  effect_ask: 'ask',
  think: 'retry',
} as const satisfies Record<string, OnInterrupted>;
export type EffectType = keyof typeof EFFECTS;

/** What the run's waits came to, by step: the outputs that its history has for them. */
export type Taken = (stepId: string) => JsonObject;

/** A kind of workflow, and what it must come to whatever happens on the way. */
export interface Flow {
  readonly name: string;
  readonly plan: PreparedPlan;
  /** Names of the signals that it waits for. */
  readonly signals: readonly string[];
  /** Steps that people decide on. */
  readonly approvals: readonly string[];
  /** The output of a run that completed, from the number it was started with. */
  readonly output: (n: number, taken: Taken) => Json;
  /** Steps that start other runs. */
  readonly children: readonly string[];
  /** Code of the error with which it fails by itself; null where it completes. */
  readonly fails: string | null;
  /** It may also complete: a matter of time. */
  readonly mayFail: boolean;
}

const types = new Map<string, NodeTypeInfo>([
  ...builtIn,
  ...Object.keys(EFFECTS).map((type): [string, NodeTypeInfo] => [
    type,
    { type, version: 1, kind: 'work', inputSchema: {} },
  ]),
]);

interface Sketch {
  readonly steps: Json[];
  readonly rest?: JsonObject;
  readonly output?: Flow['output'];
  readonly signals?: readonly string[];
  readonly approvals?: readonly string[];
  readonly fails?: string;
  readonly mayFail?: boolean;
  readonly children?: readonly string[];
}

const set = (id: string, v: string): Json => ({ id, type: 'set', config: { v } });
/** Every effect puts out its number and one. */
const effect = (id: string, v: string, type: EffectType = 'effect', more: JsonObject = {}): JsonObject => ({
  id,
  type,
  config: { v, fails: 0 },
  ...more,
});
const flaky = (id: string, v: string, fails: number, retry: JsonObject): JsonObject => ({
  id,
  type: 'effect',
  config: { v, fails },
  retry: { backoff: 'fixed', ...retry },
});
const nap = (id: string, time: string): Json => ({ id, type: 'wait', config: { for: time } });
const signal = (id: string, name: string, more: JsonObject = {}): Json => ({
  id,
  type: 'wait_for_signal',
  config: { signal: name, ...more },
});
const approval = (id: string, more: JsonObject = {}): Json => ({
  id,
  type: 'approval',
  config: { message: 'Go on?', ...more },
});
const child = (id: string, workflow: string, n: string, more: JsonObject = {}, wait = true): Json => ({
  id,
  type: 'sub_workflow',
  config: { workflow, input: { n }, wait },
  ...more,
});
const output = (v: string): JsonObject => ({ output: { v } });
const N = '{{ trigger.n }}';

const SKETCHES: Record<string, Sketch> = {
  pure: {
    steps: [set('a', N), set('b', '{{ steps.a.v + 1 }}'), set('c', '{{ steps.b.v + 1 }}')],
    output: (n) => ({ v: n + 2 }),
  },
  thought: {
    steps: [effect('a', N, 'think'), set('b', '{{ steps.a.v }}'), effect('c', '{{ steps.b.v }}', 'think')],
    output: (n) => ({ v: n + 2 }),
  },
  effects: {
    steps: [set('a', N), effect('b', '{{ steps.a.v }}'), set('c', '{{ steps.b.v }}'), effect('d', '{{ steps.c.v }}')],
    output: (n) => ({ v: n + 2 }),
  },
  once: {
    steps: [effect('a', N), effect('b', '{{ steps.a.v }}', 'effect_once'), effect('c', '{{ steps.b.v }}')],
    output: (n) => ({ v: n + 3 }),
  },
  ask: {
    steps: [effect('a', N, 'effect_ask'), effect('b', '{{ steps.a.v }}', 'effect_ask')],
    output: (n) => ({ v: n + 2 }),
  },
  'once survived': {
    steps: [effect('a', N, 'effect_once', { on_error: 'continue' }), effect('b', N)],
    output: (n) => ({ v: n + 1 }),
  },
  flaky: {
    steps: [
      flaky('a', N, 2, { max_attempts: 4, initial_interval: '300ms' }),
      flaky('b', '{{ steps.a.v }}', 1, { max_attempts: 2, initial_interval: '2s' }),
    ],
    output: (n) => ({ v: n + 2 }),
  },
  exhausted: {
    steps: [flaky('a', N, 9, { max_attempts: 3, initial_interval: '200ms' }), set('b', N)],
    fails: 'flaky',
  },
  naps: {
    steps: [
      effect('a', N),
      nap('short', '400ms'),
      effect('b', '{{ steps.a.v }}'),
      nap('long', '3s'),
      effect('c', '{{ steps.b.v }}'),
    ],
    output: (n) => ({ v: n + 3 }),
  },
  signal: {
    steps: [effect('a', N), signal('s', 'go'), effect('b', '{{ steps.s.v }}')],
    signals: ['go'],
    output: (_n, taken) => ({ v: (taken('s').v as number) + 1 }),
  },
  'two signals': {
    steps: [signal('s', 'go'), nap('w', '500ms'), signal('t', 'go'), effect('b', '{{ steps.s.v * 1000 + steps.t.v }}')],
    signals: ['go'],
    output: (_n, taken) => ({ v: (taken('s').v as number) * 1000 + (taken('t').v as number) + 1 }),
  },
  'signal in time': {
    steps: [
      effect('a', N),
      signal('s', 'go', { timeout: '3s', on_timeout: 'continue' }),
      effect('b', '{{ default(steps.s.v, 7) }}'),
    ],
    signals: ['go'],
    output: (_n, taken) => ({ v: ((taken('s').v as number | undefined) ?? 7) + 1 }),
  },
  approval: {
    steps: [
      set('a', N),
      approval('ok', { timeout: '4s' }),
      effect('b', '{{ steps.a.v }}', 'effect', { if: '{{ steps.ok.approved }}' }),
    ],
    rest: output('{{ default(steps.b.v, 0) }}'),
    approvals: ['ok'],
    output: (n, taken) => ({ v: taken('ok').approved === true ? n + 1 : 0 }),
  },
  'patient approval': {
    steps: [effect('a', N), approval('ok'), effect('b', '{{ steps.a.v }}')],
    approvals: ['ok'],
    output: (n) => ({ v: n + 2 }),
  },
  'failure survived': {
    steps: [
      { id: 'a', type: 'fail', config: { message: 'no', code: 'nope' }, on_error: 'continue' },
      effect('b', N, 'effect', { if: '{{ steps.a.error.code == "nope" }}' }),
    ],
    output: (n) => ({ v: n + 1 }),
  },
  failure: {
    steps: [effect('a', N), { id: 'b', type: 'fail', config: { message: 'no', code: 'nope' } }, effect('c', N)],
    fails: 'nope',
  },
  stop: {
    steps: [
      effect('a', N),
      { id: 'b', type: 'stop', config: { output: { v: '{{ steps.a.v * 2 }}' } } },
      effect('c', N),
    ],
    output: (n) => ({ v: (n + 1) * 2 }),
  },
  parent: {
    steps: [effect('a', N), child('c', 'effects', '{{ steps.a.v }}'), effect('b', '{{ steps.c.output.v }}')],
    output: (n) => ({ v: n + 4 }),
    children: ['c'],
  },
  grandparent: {
    steps: [child('c', 'parent', N), effect('b', '{{ steps.c.output.v }}')],
    output: (n) => ({ v: n + 5 }),
    children: ['c'],
  },
  'parent of a sleeper': {
    steps: [child('c', 'naps', N), effect('b', '{{ steps.c.output.v }}')],
    rest: { timeout: '6s' },
    output: (n) => ({ v: n + 4 }),
    children: ['c'],
    fails: 'timed_out',
    mayFail: true,
  },
  'parent of failures': {
    steps: [child('c', 'exhausted', N, { retry: { max_attempts: 2, initial_interval: '300ms', backoff: 'fixed' } })],
    children: ['c'],
    fails: 'child_failed',
  },
  launcher: {
    steps: [child('c', 'effects', N, {}, false), effect('b', N)],
    output: (n) => ({ v: n + 1 }),
    children: ['c'],
  },
  deadline: {
    steps: [effect('a', N), nap('w', '1h'), effect('b', N)],
    rest: { timeout: '3s' },
    fails: 'timed_out',
  },
};

const sketched = ([name, sketch]: [string, Sketch]): Flow => ({
  name,
  plan: prepare(
    compile(
      { id: 'flow', trigger: { type: 'manual' }, steps: sketch.steps, ...sketch.rest } as unknown as WorkflowDocument,
      types,
    ),
  ),
  signals: sketch.signals ?? [],
  approvals: sketch.approvals ?? [],
  output: sketch.output ?? (() => null),
  children: sketch.children ?? [],
  fails: sketch.fails ?? null,
  mayFail: sketch.mayFail ?? false,
});

/** Every kind of workflow that runs are made of. */
export const FLOWS: readonly Flow[] = Object.entries(SKETCHES).map(sketched);

const byHash = new Map(FLOWS.map((flow) => [flow.plan.plan.hash, flow]));

/** @throws Error for the name of no flow */
export function flowNamed(name: string): Flow {
  const flow = FLOWS.find((other) => other.name === name);
  if (flow === undefined) throw new Error(`There is no flow ${name}`);
  return flow;
}

/** @throws Error for the hash of no flow */
export function flowOf(planHash: string): Flow {
  const flow = byHash.get(planHash);
  if (flow === undefined) throw new Error('There is no such plan');
  return flow;
}
