import {
  blockOf,
  blockPath,
  loopsOf,
  planPath,
  type PreparedBlock,
  type PreparedPlan,
  stepIdOf,
  stepPath,
} from '../../../dsl';
import type { Entry } from '../entries/entry';
import { nearestBlock } from '../state/nearest-block';
import type { ReusedEntry } from './reuse';
import { ancestorsOf } from './history-pruner';

/** Which part of an earlier history a run that restarts from a step executes again. */
interface Restart {
  /** Whether the fact that an entry records is to be established again. */
  repeats(entry: ReusedEntry): boolean;
  /** Blocks whose failures stay as they are: a restart inside a `catch` still handles the same failure. */
  readonly keptBlocks: ReadonlySet<string>;
}

/**
 * Restarts at the step with this id: only the step and its dependents, at each level of nesting, are executed again.
 * Container steps around it continue from their recorded decisions (the chosen case, the list of items); completed
 * siblings, other branches and other items keep their results.
 *
 * In loops the id names the iterations in which the step did not complete, or all of them if it completed in each; the
 * iterations of a `while` after such an iteration are executed again, as each sees the outputs of the one before. A
 * step that the earlier run never reached restarts at the innermost step around it that was reached; a `branch` then
 * decides again. Instead of the id, the path of a step in the earlier run names one item or iteration alone. `outermost`: paths of further steps to restart at, which stand in no other step.
 */
export function restartFrom(
  plan: PreparedPlan,
  entries: readonly Entry[],
  stepId: string | null,
  outermost: readonly string[] = [],
): Restart {
  const marks = new RestartMarks(plan);
  for (const path of outermost) marks.restartAt(path, true);
  if (stepId?.includes('/')) {
    const { path, whole } = reachedPath(plan, entries, stepId);
    if (path !== '') marks.restartAt(path, whole);
    return marks;
  }
  const target = stepId === null ? null : restartTarget(plan, stepId);
  if (target !== null) {
    const { planned, whole, paths } = reachedAt(plan, entries, target);
    if (paths.length === 0) marks.addDependents('', plan.root, planned);
    for (const path of paths) marks.restartAt(path, whole);
  }
  return marks;
}

/** The step at a path of the earlier run, or the innermost step around it that was reached; empty when there is none. */
function reachedPath(
  { byPath }: PreparedPlan,
  entries: readonly Entry[],
  given: string,
): { readonly path: string; readonly whole: boolean } {
  let [path, whole] = [given, true];
  for (let outer = nearestBlock(path, HANDLERS); outer !== null; outer = nearestBlock(outer.step, HANDLERS))
    path = outer.step;
  while (path !== '' && !entries.some((entry) => 'path' in entry && entry.path === path)) {
    path = blockOf(blockOf(path));
    whole = byPath.get(planPath(path))?.control?.kind === 'branch';
  }
  return { path, whole };
}

/** The path in the plan of the step to restart at; null for handlers of the whole document, which start with a failure. */
function restartTarget({ byPath }: PreparedPlan, stepId: string): string | null {
  let target = [...byPath].find(([path, { def }]) => def.id === stepId && !path.startsWith('.'))?.[0] ?? null;
  // A handler of a failed or undone step cannot run by itself: the step that it belongs to restarts.
  for (let outer = nearestBlock(target ?? '', HANDLERS); outer !== null; outer = nearestBlock(outer.step, HANDLERS))
    target = outer.step;
  return target;
}

const HANDLERS = ['on_error', 'compensate'];

/** `whole`: the step itself is executed again, not only what follows it. `paths`: in the earlier run; empty: not reached. */
interface Reached {
  readonly planned: string;
  readonly whole: boolean;
  readonly paths: readonly string[];
}

function reachedAt({ byPath }: PreparedPlan, entries: readonly Entry[], target: string): Reached {
  let [planned, whole] = [target, true];
  let paths = instancesOf(entries, planned);
  while (paths.length === 0 && blockOf(planned) !== '') {
    planned = blockOf(blockOf(planned));
    whole = byPath.get(planned)?.control?.kind === 'branch';
    paths = instancesOf(entries, planned);
  }
  return { planned, whole, paths };
}

/** Where a step of the plan stands in the run: the iterations that did not complete, or else all. */
function instancesOf(entries: readonly Entry[], planned: string): string[] {
  const completed = new Map<string, boolean>();
  for (const entry of entries) {
    if (!('path' in entry) || planPath(entry.path) !== planned) continue;
    completed.set(entry.path, entry.kind === 'step.completed' || completed.get(entry.path) === true);
  }
  const open = [...completed].filter(([, isCompleted]) => !isCompleted);
  return (open.length > 0 ? open : [...completed]).map(([path]) => path);
}

class RestartMarks implements Restart {
  readonly keptBlocks = new Set<string>();
  /** Steps and blocks that are executed again with all that they hold. */
  readonly #again = new Set<string>();
  /** Steps that began and have to end again. */
  readonly #reopened = new Set<string>();
  /** Blocks of items that have to end again. */
  readonly #items = new Set<string>();
  /** By `while` step: the iteration that goes on; those after it are executed again. */
  readonly #iterations = new Map<string, number>();

  constructor(private readonly plan: PreparedPlan) {}

  restartAt(path: string, whole: boolean): void {
    (whole ? this.#again : this.#reopened).add(path);
    for (let step = path; ; step = blockOf(blockOf(step))) {
      const block = blockOf(step);
      this.addDependents(block, this.#prepared(block), step);
      if (block === '') return;
      this.#reopen(blockOf(block), block);
    }
  }

  /** The siblings that wait for a step, directly or not. */
  addDependents(block: string, { steps, needs }: PreparedBlock, step: string): void {
    const again = new Set([steps.findIndex(({ def }) => def.id === stepIdOf(step))]);
    for (let size = 0; size < again.size; ) {
      size = again.size;
      for (const [index, needed] of needs.entries()) if (needed.some((need) => again.has(need))) again.add(index);
    }
    for (const [index, { def }] of steps.entries()) {
      const sibling = stepPath(block, def.id);
      if (again.has(index) && sibling !== step) this.#again.add(sibling);
    }
  }

  repeats(entry: ReusedEntry): boolean {
    const { kind, path } = entry;
    if ([path, ...ancestorsOf(path)].some((ancestor) => this.#again.has(ancestor))) return true;
    if (
      loopsOf(path).some(({ kind: loop, block, index }) => loop === 'iteration' && this.#isLater(blockOf(block), index))
    )
      return true;
    if (kind === 'loop.item') return this.#items.has(`${path}/steps[${entry.index}]`);
    if (kind === 'loop.turn') return this.#isLater(path, entry.index);
    return kind !== 'step.opened' && this.#reopened.has(path);
  }

  #isLater(loop: string, index: number): boolean {
    return index > (this.#iterations.get(loop) ?? Number.POSITIVE_INFINITY);
  }

  #reopen(holder: string, block: string): void {
    this.#reopened.add(holder);
    this.#again.add(blockPath(holder, 'on_error'));
    const loop = loopsOf(block).at(-1);
    if (loop?.block === block && loop.kind === 'item') this.#items.add(block);
    if (loop?.block === block && loop.kind === 'iteration')
      this.#iterations.set(holder, Math.min(loop.index, this.#iterations.get(holder) ?? loop.index));
    const blocks = TRY_BLOCKS.map((key) => blockPath(holder, key));
    const stage = this.#control(holder) === 'try' ? blocks.indexOf(block) : -1;
    if (stage === -1) return;
    for (const later of blocks.slice(stage + 1)) this.#again.add(later);
    if (stage > 0) for (const kept of blocks.slice(0, stage + 1)) this.keptBlocks.add(kept);
  }

  #control(path: string): string | undefined {
    return this.plan.byPath.get(planPath(path))?.control?.kind;
  }

  #prepared(block: string): PreparedBlock {
    const planned = planPath(block);
    const found = block === '' ? this.plan.root : this.plan.byPath.get(blockOf(planned))?.blocks.get(stepIdOf(planned));
    if (found === undefined) throw new Error(`The plan has no block ${planned}`);
    return found;
  }
}

/** In the order in which they run. */
const TRY_BLOCKS = ['steps', 'catch', 'finally'];
