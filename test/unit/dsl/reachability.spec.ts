import fc from 'fast-check';
import { scopeOf, stepIdOf } from '../../../dsl';
import { Issues } from '../../../dsl/validation/issues';
import { isWithin, loopsOf, indexDocument, type StepNode } from '../../../dsl/validation/document-index';
import { type Unreachable, unreachableFrom } from '../../../dsl/validation/reachability';
import type { Json, JsonObject } from '../../../lib/json';
import { viewAt } from '../../../runtime/core/state/step-view';
import { type Bench, bench, done, failed } from '../../support/runtime/bench';

/** A step without its id, and what is in it. */
type Shape =
  | { kind: 'work'; fails: boolean; onError: 'fail' | 'continue' | StepList; undo: boolean }
  | { kind: 'branch'; cases: StepList[]; otherwise: StepList }
  | { kind: 'parallel'; branches: StepList[]; wait: 'all' | 'any' }
  | { kind: 'foreach'; steps: StepList; concurrency: number }
  | { kind: 'while'; steps: StepList }
  | { kind: 'try'; steps: StepList; handler: StepList; last: StepList };

/** `picks`: which earlier step each needs; absent for a list that runs in its order. */
interface StepList {
  readonly steps: readonly Shape[];
  readonly picks?: readonly number[];
}

const depth = fc.createDepthIdentifier();
const { list } = fc.letrec<{ list: StepList; shape: Shape }>((tie) => {
  const inner = tie('list');
  const work = fc.record({
    kind: fc.constant('work' as const),
    fails: fc.integer({ max: 9, min: 0 }).map((chance) => chance === 0),
    onError: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth },
      fc.constantFrom('fail' as const, 'continue' as const),
      inner,
    ),
    undo: fc.boolean(),
  });
  return {
    list: fc.record(
      {
        steps: fc.array(tie('shape'), { minLength: 1, maxLength: 3, depthIdentifier: depth }),
        picks: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
      },
      { requiredKeys: ['steps'] },
    ),
    shape: fc.oneof(
      { maxDepth: 3, depthIdentifier: depth, withCrossShrink: true },
      work,
      fc.record({
        kind: fc.constant('branch' as const),
        cases: fc.array(inner, { minLength: 1, maxLength: 2 }),
        otherwise: inner,
      }),
      fc.record({
        kind: fc.constant('parallel' as const),
        branches: fc.array(inner, { minLength: 2, maxLength: 2 }),
        wait: fc.constantFrom('all' as const, 'any' as const),
      }),
      fc.record({ kind: fc.constant('foreach' as const), steps: inner, concurrency: fc.integer({ min: 1, max: 2 }) }),
      fc.record({ kind: fc.constant('while' as const), steps: inner }),
      fc.record({ kind: fc.constant('try' as const), steps: inner, handler: inner, last: inner }),
    ),
  };
});

/** The steps of a list, with ids, and the ids of those that fail. */
function build(shapes: StepList, failing: Set<string>): Json[] {
  let count = 0;
  const steps = ({ steps: each, picks }: StepList): Json[] => {
    const ids: string[] = [];
    return each.map((shape, index) => {
      const id = `s${count++}`;
      const needed = ids[(picks?.[index] ?? 0) % (index + 1)];
      ids.push(id);
      return {
        id,
        ...(picks === undefined ? {} : { needs: needed === undefined ? [] : [needed] }),
        ...inside(id, shape),
      };
    });
  };
  const inside = (id: string, shape: Shape): JsonObject => {
    switch (shape.kind) {
      case 'work':
        if (shape.fails) failing.add(id);
        return {
          type: 'effect',
          on_error: typeof shape.onError === 'string' ? shape.onError : steps(shape.onError),
          ...(shape.undo ? { compensate: [{ id: `s${count++}`, type: 'effect' }] } : {}),
        };
      case 'branch':
        return {
          type: 'branch',
          cases: shape.cases.map((each) => ({ when: '{{ loop.index % 2 == 1 }}', steps: steps(each) })),
          else: steps(shape.otherwise),
        };
      case 'parallel':
        return {
          type: 'parallel',
          wait: shape.wait,
          branches: shape.branches.map((each, n) => ({ id: `b${n}`, steps: steps(each) })),
        };
      case 'foreach':
        return {
          type: 'foreach',
          config: { items: ['x', 'y'], concurrency: shape.concurrency },
          steps: steps(shape.steps),
        };
      case 'while':
        return { type: 'while', config: { condition: '{{ loop.index < 2 }}' }, steps: steps(shape.steps) };
      case 'try':
        return { type: 'try', steps: steps(shape.steps), catch: steps(shape.handler), finally: steps(shape.last) };
    }
  };
  return steps(shapes);
}

/** Plays a run: finishes the steps that `choose` picks, and calls `launched` for each launch. */
function play(
  run: Bench,
  failing: ReadonlySet<string>,
  choose: (count: number) => number,
  launched: (path: string) => void,
): void {
  let count = 0;
  const tell = (): void => {
    for (const command of run.launched.slice(count)) if (command.kind === 'run') launched(command.path);
    count = run.launched.length;
  };
  run.tell({ kind: 'resume' });
  tell();
  while (run.flights.size > 0) {
    const path = [...run.flights.keys()][choose(run.flights.size)] as string;
    run.settle(path, failing.has(stepIdOf(path)) ? failed() : done({ at: path }));
    tell();
  }
  expect(run.state.ended).not.toBeNull();
}

/** Ids of the steps whose outputs belong to what is around a path: the run, and the foreach items that it is in. */
function outputsAround(run: Bench, path: string): Set<string> {
  const ids = new Set<string>();
  for (const entry of run.entries) {
    if (!('path' in entry)) continue;
    const scope = scopeOf(entry.path);
    if (scope !== '' && !`${path}/`.startsWith(`${scope}/`)) continue;
    if (entry.kind === 'step.completed' || entry.kind === 'step.failed') ids.add(stepIdOf(entry.path));
    if (entry.kind === 'step.skipped') ids.delete(stepIdOf(entry.path));
  }
  return ids;
}

/** What the check says of steps that run at the same time: which of them is first is not known, so one may see the other. */
const BY_CHANCE: readonly string[] = ['may not have run when this step begins', 'is in another branch'];
const isUnlawful = (hidden: Unreachable | null): boolean => hidden !== null && !BY_CHANCE.includes(hidden.reason);
const WITH_ERROR: ReadonlySet<string> = new Set(['catch', 'finally', 'on_error', 'compensate', '.on_error']);

const depthOf = (loop: Json | undefined): number =>
  loop === undefined || loop === null ? 0 : 1 + depthOf((loop as JsonObject).parent);

test('what a step sees while it runs is what the check lets it use', () => {
  let count = 0;
  fc.assert(
    fc.property(list, list, fc.infiniteStream(fc.nat(1_000)), (shapes, last, chance) => {
      const failing = new Set<string>();
      const all = build({ steps: [...shapes.steps, { kind: 'try', steps: last, handler: last, last }] }, failing);
      const rest = { on_error: [{ id: 'alarm', type: 'effect' }] };
      // Longer ones add time, not cases; above the limit of the language they have no index.
      fc.pre(JSON.stringify(all).split('"id"').length <= 60);
      const { byId } = indexDocument({ steps: all, ...rest }, new Issues());
      const run = bench(all, rest);
      const ids = [...byId.keys()];
      const of = (id: string): StepNode => byId.get(id) as StepNode;
      play(
        run,
        failing,
        (flying) => (chance.next().value ?? 0) % flying,
        (path) => {
          const [node, view] = [of(stepIdOf(path)), viewAt(run.facts.plan, run.state, path)];
          const seen = Object.keys(view.steps());
          count += seen.length;
          const around = loopsOf(node);
          const addressed = (id: string): number => view.addressOf(id).split('.').length - 1;
          expect({
            seen: seen.sort(),
            unlawful: seen.filter((id) => isUnlawful(unreachableFrom(node, of(id)))),
            loops: depthOf(view.loop()),
            handles: view.error() !== undefined,
            misaddressed: ids.filter(
              (id) => addressed(id) !== loopsOf(of(id)).filter((loop) => around.includes(loop)).length,
            ),
          }).toEqual({
            seen: [...outputsAround(run, path)].sort(),
            unlawful: [],
            loops: around.length,
            handles: isWithin(node, WITH_ERROR),
            misaddressed: [],
          });
        },
      );
    }),
    { numRuns: 40 },
  );
  // So many that hardly a way to see a step is left out.
  expect(count).toBeGreaterThan(1_000);
});
