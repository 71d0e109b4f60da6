import { compile, type NodeTypeInfo, type PreparedPlan, prepare, type WorkflowDocument } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { OnInterrupted } from '../../nodes/contract';
import { builtIn } from '../support/vocabulary';

/** Step types of the simulation; they differ in their recovery policy. `think` has no external effect. */
export const EFFECTS = {
  effect: 'retry',
  effect_once: 'fail',
  effect_ask: 'ask',
  think: 'retry',
  /** Ends the process that runs it. */
  lethal: 'retry',
  /** Two effects, each executed once, and a wait between them. */
  parts: 'retry',
} as const satisfies Record<string, OnInterrupted>;
export type EffectType = keyof typeof EFFECTS;

/** The outputs of the run's waits in its history, by the addresses of their steps. */
export type Taken = (address: string) => JsonObject;

/** A kind of workflow, and its expected result whatever faults occur. */
export interface Flow {
  readonly name: string;
  readonly plan: PreparedPlan;
  /** Names of the signals that it waits for. */
  readonly signals: readonly string[];
  /** Approval steps, by their addresses. */
  readonly approvals: readonly string[];
  /** The output of a run that completed, from the number it was started with. */
  readonly output: (n: number, taken: Taken) => Json;
  /** Paths of steps that start other runs. */
  readonly children: readonly string[];
  /** Code of the error with which it fails without faults; null if it completes. */
  readonly fails: string | null;
  /** It may also complete, depending on the timing. */
  readonly mayFail: boolean;
  /** Its effects may be in flight at the same time, at different places. */
  readonly sideBySide: boolean;
  /** It has a cleanup for cancellations; plans cancel it often. */
  readonly cleansUp: boolean;
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
  readonly sideBySide?: boolean;
  readonly cleansUp?: boolean;
  readonly children?: readonly string[];
}

const set = (id: string, v: string): Json => ({ id, type: 'set', config: { v } });
/** The output of every effect is its number plus one. */
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
const foreach = (id: string, items: Json, steps: Json[], concurrency = 2): Json => ({
  id,
  type: 'foreach',
  config: { items, concurrency },
  steps,
});
const parallel = (id: string, branches: Json[][], wait: Json = 'all'): Json => ({
  id,
  type: 'parallel',
  branches: branches.map((steps, index) => ({ id: `b${index}`, steps })),
  wait,
});
const attempt = (id: string, steps: Json[], more: JsonObject = {}): Json => ({ id, type: 'try', steps, ...more });
const broken = (id: string): Json => flaky(id, N, 9, { max_attempts: 2, initial_interval: '200ms' });
const undoable = (id: string, v: string): Json =>
  effect(id, v, 'effect', { compensate: [effect(`un${id}`, `{{ steps.${id}.v }}`)] });
const SUM = '{{ sum(map_field(steps.each.results, "v")) }}';
const output = (v: string): JsonObject => ({ output: { v } });
/** The number of the start; of a batch, that of its first one. */
const N = '{{ trigger.n ?? trigger.events[0].n }}';

const SKETCHES: Record<string, Sketch> = {
  pure: {
    steps: [set('a', N), set('b', '{{ steps.a.v + 1 }}'), set('c', '{{ steps.b.v + 1 }}')],
    output: (n) => ({ v: n + 2 }),
  },
  poison: {
    steps: [set('a', N), effect('b', '{{ steps.a.v }}', 'lethal')],
    fails: 'poisoned',
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
  'form in time': {
    steps: [
      effect('a', N),
      {
        id: 'f',
        type: 'wait_for_form',
        config: { fields: { properties: { v: { type: 'integer' } } }, timeout: '3s', on_timeout: 'continue' },
      },
      effect('b', '{{ default(steps.f.v, 7) }}'),
    ],
    signals: ['$form:f'],
    output: (_n, taken) => ({ v: ((taken('f').v as number | undefined) ?? 7) + 1 }),
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
  'side by side': {
    steps: [
      parallel('both', [
        [effect('a', N), nap('w', '300ms'), effect('b', '{{ steps.a.v }}')],
        [effect('c', N), effect('d', '{{ steps.c.v }}')],
      ]),
      effect('e', '{{ steps.b.v + steps.d.v }}'),
    ],
    output: (n) => ({ v: 2 * n + 5 }),
    sideBySide: true,
  },
  diamond: {
    steps: [
      effect('top', N),
      effect('left', '{{ steps.top.v }}', 'effect', { needs: ['top'] }),
      effect('right', '{{ steps.top.v }}', 'effect', { needs: ['top'] }),
      effect('bottom', '{{ steps.left.v + steps.right.v }}', 'effect', { needs: ['left', 'right'] }),
    ],
    output: (n) => ({ v: 2 * n + 5 }),
    sideBySide: true,
  },
  items: {
    steps: [
      foreach('each', '{{ range(4) }}', [
        flaky('a', '{{ (trigger.n ?? trigger.events[0].n) + loop.item }}', 1, {
          max_attempts: 4,
          initial_interval: '200ms',
        }),
        nap('w', '100ms'),
        effect('b', '{{ steps.a.v }}'),
      ]),
      effect('end', SUM),
    ],
    output: (n) => ({ v: 4 * n + 6 + 8 + 1 }),
    sideBySide: true,
  },
  'loops in loops': {
    steps: [
      foreach(
        'each',
        [1, 2, 3],
        [
          {
            id: 'odd',
            type: 'branch',
            cases: [{ when: '{{ loop.item % 2 == 1 }}', steps: [effect('a', '{{ loop.item }}')] }],
            else: [set('b', '{{ loop.item }}')],
          },
          {
            id: 'turns',
            type: 'while',
            config: { condition: '{{ loop.index < loop.parent.item }}' },
            steps: [effect('c', '{{ steps.c.v ?? 0 }}')],
          },
          set('sum', '{{ (steps.a.v ?? steps.b.v) + steps.c.v }}'),
        ],
      ),
      effect('end', SUM),
    ],
    // (2 + 1) + (2 + 2) + (4 + 3), and one.
    output: () => ({ v: 15 }),
    sideBySide: true,
  },
  'a race': {
    steps: [
      parallel(
        'race',
        [[attempt('slow', [nap('w', '1h'), effect('never', N)], { finally: [effect('f', N)] })], [effect('a', N)]],
        'any',
      ),
      effect('end', '{{ steps.f.v + steps.a.v }}'),
    ],
    output: (n) => ({ v: 2 * n + 3 }),
    sideBySide: true,
  },
  caught: {
    steps: [
      attempt('safe', [effect('a', N), broken('b'), effect('never', N)], {
        catch: [effect('c', '{{ steps.a.v }}')],
        finally: [effect('d', '{{ steps.c.v }}')],
      }),
      effect('end', '{{ steps.d.v }}'),
    ],
    output: (n) => ({ v: n + 4 }),
  },
  saga: {
    steps: [
      undoable('a', N),
      foreach('each', [1, 2], [undoable('b', '{{ loop.item }}')]),
      attempt('safe', [undoable('c', N), broken('d')], { finally: [effect('f', N)] }),
    ],
    rest: { on_error: [effect('tell', N)] },
    fails: 'flaky',
    sideBySide: true,
    cleansUp: true,
  },
  'a saga that may be cancelled': {
    steps: [undoable('a', N), attempt('safe', [approval('ok')], { finally: [effect('f', N)] }), effect('b', N)],
    approvals: ['ok'],
    output: (n) => ({ v: n + 1 }),
    cleansUp: true,
  },
  'approvals in items': {
    steps: [
      foreach(
        'each',
        ['x', 'y', 'z'],
        [effect('a', N), approval('ok', { timeout: '5s' }), set('b', '{{ steps.ok.approved ? steps.a.v : 0 }}')],
      ),
      effect('end', SUM),
    ],
    approvals: ['ok.0', 'ok.1', 'ok.2'],
    output: (n, taken) => ({
      v: [0, 1, 2].filter((item) => taken(`ok.${item}`).approved === true).length * (n + 1) + 1,
    }),
    sideBySide: true,
  },
  'children in items': {
    steps: [
      foreach('each', '{{ range(3) }}', [
        child('c', 'effects', '{{ (trigger.n ?? trigger.events[0].n) + loop.item }}', { on_error: 'continue' }),
        set('d', '{{ default(steps.c.output.v, 0) }}'),
      ]),
      effect('end', '{{ steps.each.count }}'),
    ],
    output: () => ({ v: 4 }),
    children: ['each/steps[0]/c', 'each/steps[1]/c', 'each/steps[2]/c'],
    sideBySide: true,
  },
  parts: {
    steps: [
      foreach('each', '{{ range(2) }}', [effect('p', '{{ (trigger.n ?? trigger.events[0].n) + loop.item }}', 'parts')]),
      effect('end', SUM),
    ],
    output: (n) => ({ v: 2 * n + 1 + 4 + 1 }),
    sideBySide: true,
  },
  'a loop out of time': {
    steps: [
      {
        ...(foreach('each', [1, 2], [effect('a', N), nap('w', '1h')]) as JsonObject),
        timeout: '4s',
        on_error: 'continue',
      },
      effect('end', '{{ steps.each.error.code == "timed_out" ? 1 : 2 }}'),
    ],
    output: () => ({ v: 2 }),
    sideBySide: true,
  },
  // So many that they wait for nothing in turn with others, see lib/fair-scheduler.ts.
  'many steps': {
    steps: [foreach('each', '{{ range(100) }}', [set('v', '{{ loop.item }}')]), effect('end', SUM)],
    output: () => ({ v: 4951 }),
  },
  'a deadline that is handled': {
    steps: [undoable('a', N), nap('w', '1h')],
    rest: { timeout: '2s', on_error: [effect('tell', N), effect('again', N)] },
    fails: 'timed_out',
    cleansUp: true,
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
  sideBySide: sketch.sideBySide ?? false,
  cleansUp: sketch.cleansUp ?? false,
});

/** All kinds of workflows. */
const ALL_FLOWS: readonly Flow[] = Object.entries(SKETCHES).map(sketched);

/** The workflow that ends each process that runs it; it is started in addition to the others. */
export const POISON = 'poison';
export const FLOWS: readonly Flow[] = ALL_FLOWS.filter(({ name }) => name !== POISON);

const byHash = new Map(ALL_FLOWS.map((flow) => [flow.plan.plan.hash, flow]));

/** @throws Error for an unknown name */
export function flowNamed(name: string): Flow {
  const flow = ALL_FLOWS.find((other) => other.name === name);
  if (flow === undefined) throw new Error(`There is no flow ${name}`);
  return flow;
}

/** @throws Error for an unknown hash */
export function flowOf(planHash: string): Flow {
  const flow = byHash.get(planHash);
  if (flow === undefined) throw new Error('There is no such plan');
  return flow;
}
