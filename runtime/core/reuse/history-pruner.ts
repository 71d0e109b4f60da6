import { blockOf, itemPath, loopsOf, planPath, stepPath } from '../../../dsl';
import { nearestBlock } from '../state/nearest-block';
import type { ReusedEntry } from './reuse';

/** True for an entry that is reused although its step failed, or handled a failure, and must end again. */
export type KeepsAnyway = (entry: ReusedEntry, ancestors: readonly string[]) => boolean;

/**
 * Selects the entries of a history that a repeated run needs. Entries are passed from the last to the first, so that
 * the end of each enclosing step is already known.
 */
export class HistoryPruner {
  readonly #completed = new Set<string>();
  /** Blocks of completed items, with the ids of the steps that hold their results. */
  readonly #items = new Map<string, string | null>();
  /** The last iteration of each loop; earlier ones are superseded. */
  readonly #iterations = new Map<string, number>();
  /** Steps of past iterations, by their paths in the plan: only the last output of each counts. */
  readonly #seenOutputs = new Set<string>();

  /** `undoable`: paths that contain steps with `compensate`, which needs all outputs they used. */
  constructor(
    private readonly undoable: ReadonlySet<string>,
    private readonly keepsAnyway: KeepsAnyway = () => false,
  ) {}

  keeps(entry: ReusedEntry): boolean {
    const ancestors = ancestorsOf(entry.path);
    const kept = !this.#isSuperseded(entry, ancestors) && this.#counts(entry, ancestors);
    if (entry.kind === 'step.completed') this.#completed.add(entry.path);
    if (entry.kind === 'loop.item') this.#items.set(itemPath(entry.path, entry.index), entry.last);
    if (entry.kind === 'loop.turn' && !this.#iterations.has(entry.path)) this.#iterations.set(entry.path, entry.index);
    return kept;
  }

  /** True for progress of a completed step, for earlier iterations of a loop, and for items of a completed loop. */
  #isSuperseded({ kind, path }: ReusedEntry, ancestors: readonly string[]): boolean {
    const isDone = (step: string): boolean => this.#completed.has(step) && !this.undoable.has(step);
    if (ancestors.some((ancestor) => ancestor.endsWith(']') && isDone(blockOf(ancestor)))) return true;
    if (kind === 'loop.turn' && this.#iterations.has(path) && !this.undoable.has(path)) return true;
    return isMove(kind) && isDone(path);
  }

  #counts(entry: ReusedEntry, ancestors: readonly string[]): boolean {
    const { kind, path } = entry;
    const item = ancestors.findLast((ancestor) => this.#items.has(ancestor));
    if (item !== undefined && !this.undoable.has(item))
      return kind === 'step.completed' && path === stepPath(item, this.#items.get(item) ?? '');
    const iteration = ancestors.find((ancestor) => this.#isPast(ancestor));
    if (iteration !== undefined && !this.undoable.has(iteration))
      return !isMove(kind) && this.#isLatestOutput(planPath(path));
    if (iteration !== undefined || item !== undefined || ancestors.some((ancestor) => this.#completed.has(ancestor)))
      return true;
    if (this.keepsAnyway(entry, ancestors)) return true;
    // It must run again, except what failed, and what ran because of that.
    const succeeded = isMove(kind) || kind === 'step.completed';
    return succeeded && nearestBlock(path, ['catch', 'finally', 'on_error']) === null;
  }

  #isPast(outer: string): boolean {
    const iteration = loopsOf(outer).at(-1);
    return (
      iteration?.kind === 'iteration' &&
      iteration.block === outer &&
      iteration.index < (this.#iterations.get(blockOf(outer)) ?? 0)
    );
  }

  #isLatestOutput(planned: string): boolean {
    if (this.#seenOutputs.has(planned)) return false;
    this.#seenOutputs.add(planned);
    return true;
  }
}

/** Entries about the progress of a container step. */
const isMove = (kind: ReusedEntry['kind']): boolean =>
  kind === 'step.opened' || kind === 'loop.turn' || kind === 'loop.item';

/** The blocks and steps around a path, innermost first. */
export function ancestorsOf(path: string): string[] {
  const ancestors: string[] = [];
  for (let outer = blockOf(path); outer !== ''; outer = blockOf(outer)) ancestors.push(outer);
  return ancestors;
}
