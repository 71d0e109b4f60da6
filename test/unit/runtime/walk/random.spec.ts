import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../lib/json';
import type { OnInterrupted } from '../../../../nodes/contract';
import type { Entry } from '../../../../runtime/core/entries/entry';
import { replay } from '../../../../runtime/core/state/fold';
import { CANCEL } from '../../../../runtime/core/state/state';
import { MAX_CLEANUP_MS, nextDue } from '../../../../runtime/core/decide/due';
import type { AttemptResult } from '../../../../runtime/core/decide/event';
import { waitingOf } from '../../../../runtime/core/decide/waiting';
import { Bench, bench, done, durable, failed, mail } from '../../../support/runtime/bench';

/** A document without the ids of its steps, which must differ. */
type Shape =
  | { kind: 'work'; retry: number; undo: boolean }
  | { kind: 'control'; type: string; blocks: Shape[][]; wait: number; items: number; limited: boolean };

const work: fc.Arbitrary<Shape> = fc.record({
  kind: fc.constant('work' as const),
  retry: fc.integer({ min: 1, max: 2 }),
  undo: fc.boolean(),
});
const { block } = fc.letrec<{ block: Shape[]; shape: Shape }>((tie) => ({
  block: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    work,
    fc.record({
      kind: fc.constant('control' as const),
      type: fc.constantFrom('branch', 'parallel', 'foreach', 'while', 'try', 'handled', 'needs'),
      blocks: fc.array(tie('block'), { minLength: 3, maxLength: 3 }),
      wait: fc.integer({ min: 1, max: 3 }),
      items: fc.integer({ min: 0, max: 3 }),
      limited: fc.boolean(),
    }) as fc.Arbitrary<Shape>,
  ),
}));

/** The steps of a block; ids are numbered over the whole document. */
function stepsOf(shapes: readonly Shape[], next: { id: number }, mayUndo: boolean): Json[] {
  return shapes.map((shape) => stepOf(shape, next, mayUndo));
}

function stepOf(shape: Shape, next: { id: number }, mayUndo: boolean): Json {
  const id = `s${next.id++}`;
  const inner = (index: number, undo = mayUndo): Json[] =>
    stepsOf(shape.kind === 'control' ? (shape.blocks[index] ?? []) : [], next, undo);
  if (shape.kind === 'work')
    return {
      id,
      type: 'effect',
      config: {},
      retry: { max_attempts: shape.retry, initial_interval: '1s', jitter: 0 },
      ...(shape.undo && mayUndo ? { compensate: [{ id: `${id}u`, type: 'effect', config: {} }] } : {}),
    };
  const common: JsonObject = {
    id,
    type: shape.type,
    ...(shape.limited ? { timeout: '20s', on_error: 'continue' } : {}),
  };
  switch (shape.type) {
    case 'branch':
      return { ...common, cases: [{ when: shape.items > 1, steps: inner(0) }], else: inner(1) };
    case 'parallel':
      return {
        ...common,
        branches: [0, 1, 2].map((index) => ({ id: `b${index}`, steps: inner(index) })),
        wait: shape.wait,
      };
    case 'foreach':
      return { ...common, config: { items: Array(shape.items).fill(0), concurrency: shape.wait }, steps: inner(0) };
    case 'while':
      return { ...common, config: { condition: `{{ loop.index < ${shape.items} }}` }, steps: inner(0) };
    case 'handled':
      return { id, type: 'effect', config: {}, on_error: inner(0, false) };
    case 'needs':
      return {
        ...common,
        type: 'try',
        steps: inner(0).map((each) => ({ ...(each as JsonObject), needs: [] })),
        catch: inner(1, false),
      };
    default:
      return { ...common, steps: inner(0), catch: inner(1, false), finally: inner(2, false) };
  }
}

const delay = fc.integer({ min: 0, max: 5_000 });
const approval: AttemptResult = {
  kind: 'wait',
  wait: {
    kind: 'approval',
    message: 'm',
    approvers: [],
    form: null,
    until: null,
    onTimeout: { kind: 'complete', output: {} },
  },
};
const outcome: fc.Arbitrary<(now: number) => AttemptResult> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(() => done({ v: 1 })) },
  { weight: 3, arbitrary: fc.boolean().map((retryable) => () => failed({ retryable })) },
  {
    weight: 2,
    arbitrary: fc.record({ ms: delay, more: fc.constantFrom({}, { note: 'n' }) }).map(
      ({ ms, more }) =>
        (now: number): AttemptResult => ({
          kind: 'wait',
          wait: { kind: 'timer', until: now + ms, output: {} },
          ...more,
        }),
    ),
  },
  {
    weight: 2,
    arbitrary: delay.map(
      (ms) =>
        (now: number): AttemptResult => ({ kind: 'hold', connection: 'c', until: now + ms }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant((): AttemptResult => ({ kind: 'noted', note: 'n', end: { ok: true, output: {} } })),
  },
  { weight: 1, arbitrary: fc.constant((): AttemptResult => approval) },
  { weight: 1, arbitrary: fc.constant((): AttemptResult => ({ kind: 'stop', error: { code: 'halt', message: 'm' } })) },
  { weight: 1, arbitrary: fc.constant((): AttemptResult => ({ kind: 'stop', output: {} })) },
);
const act = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('settle' as const), at: fc.nat(9), outcome }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('start' as const), at: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'pass' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('held' as const), at: fc.nat(9) }) },
);

const settledIn = (entries: readonly Entry[]): string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'step.completed' ||
    entry.kind === 'step.skipped' ||
    entry.kind === 'step.cancelled' ||
    (entry.kind === 'step.failed' && entry.retryAt === null)
      ? [entry.path]
      : [],
  );

const isRunning = ({ state }: Bench, path: string): boolean => state.steps.get(path)?.kind === 'running';

/** What holds of a run at any time. */
function check(run: Bench): void {
  // All that could begin has, unless its time has just come: to look at everything once more changes nothing.
  const launched = run.launched.length;
  const due = nextDue(run.facts, run.state);
  if (due === null || due > run.now) expect([run.tell({ kind: 'due' }), run.launched.length]).toEqual([[], launched]);
  expect(durable(replay(run.entries))).toEqual(durable(run.state));
  expect(new Set(run.flights.keys())).toEqual(run.state.inFlight);
  const settled = settledIn(run.entries);
  expect(new Set(settled).size).toBe(settled.length);
  const over = new Set(settled);
  expect([...run.flights.keys()].filter((path) => over.has(path))).toEqual([]);
  const ends = run.entries.filter(({ kind }) => kind === 'run.ended').length;
  expect(ends).toBe(run.state.ended === null ? 0 : 1);
  if (run.state.ended === null) return;
  expect([run.entries.at(-1)?.kind, run.flights.size, run.state.open.size]).toEqual(['run.ended', 0, 0]);
}

/** Whatever was undoable is undone before a run ends that came to nothing, unless the undoing itself was cut off. */
function checkUndone(run: Bench): void {
  const { ended, closing } = run.state;
  if (ended === null || ended.status === 'completed') return;
  // Cut off by the time that there is for it.
  if (closing !== null && ended.at >= closing.at + MAX_CLEANUP_MS) return;
  const begun = run.entries.flatMap((entry) =>
    'path' in entry && entry.path.includes('/compensate/') ? [entry.path] : [],
  );
  const undoable = run.entries.flatMap((entry) =>
    entry.kind === 'step.completed' && entry.undo === true ? [entry.path] : [],
  );
  for (const path of undoable) expect(begun.some((each) => each.startsWith(`${path}/compensate/`))).toBe(true);
}

describe('any run, with any containers', () => {
  it('folds to the same state, ends each step and itself once, and ends', () => {
    fc.assert(
      fc.property(
        fc.array(block, { minLength: 1, maxLength: 2 }),
        fc.array(act, { maxLength: 60 }),
        fc.constantFrom<OnInterrupted>('retry', 'fail', 'ask'),
        fc.boolean(),
        (blocks, acts, word, handles) => {
          const next = { id: 0 };
          const steps = stepsOf(blocks.flat(), next, true);
          const rest: JsonObject = handles ? { on_error: [{ id: 'handler', type: 'effect', config: {} }] } : {};
          let requests = 0;
          let run = bench(steps, rest, {}, word);
          run.tell({ kind: 'resume' });
          check(run);
          for (const each of acts) {
            const path =
              'at' in each ? ([...run.flights.keys()][each.at % Math.max(1, run.flights.size)] ?? null) : null;
            if (each.kind === 'settle' && path !== null) run.settle(path, each.outcome(run.now));
            if (each.kind === 'start' && path !== null && !isRunning(run, path)) run.start(path);
            if (each.kind === 'held' && path !== null && run.state.paused !== null && !isRunning(run, path))
              run.hold(path);
            if (each.kind === 'pass' && nextDue(run.facts, run.state) !== null) run.pass();
            if (each.kind === 'cancel' && run.state.ended === null) run.send(mail(CANCEL, CANCEL, run.now));
            if (each.kind === 'pause' || each.kind === 'resume') run.request(each.kind, ++requests);
            if (each.kind === 'crash') {
              const { sent, now, state } = run;
              run = Bench.after(run, run.decisions.length);
              run.now = now;
              run.sent.push(...sent);
              run.tell({ kind: 'messages', messages: sent, pause: state.pauseRequest });
              run.tell({ kind: 'resume' });
            }
            check(run);
          }
          if (run.state.paused !== null) run.request('resume', ++requests);
          for (let turns = 0; run.state.ended === null && turns < 1_000; turns++) {
            run.drive();
            if (run.state.ended !== null) break;
            const asked = waitingOf(run.state).find(({ kind }) => kind === 'approval')?.name ?? null;
            if (asked !== null) run.send(mail(asked, asked, run.now, { approved: true }));
            else run.pass();
          }
          check(run);
          checkUndone(run);
        },
      ),
      { numRuns: 1_000 },
    );
  }, 120_000);
});
