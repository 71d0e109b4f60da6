import { blockOf, itemPath, loopsOf, planPath, stepPath } from '../../dsl';
import { enclosing } from './enclosing';
import type { Taken } from './inherit';

/**
 * Which entries of a history are still looked at by a run that repeats it. It is asked about them from the last to the
 * first, and so knows of each what is over that it belongs to.
 */
export class Over {
  readonly #completed = new Set<string>();
  /** Blocks of items that are done, with the ids of the steps that have their results. */
  readonly #items = new Map<string, string | null>();
  /** The last turn of each loop: those before it are over. */
  readonly #turns = new Map<string, number>();
  /** Steps of turns that are over, by their paths in the plan: only the last word of each counts. */
  readonly #told = new Set<string>();

  /** `undoable`: paths in which something may have to be undone, which needs all that it saw. */
  constructor(private readonly undoable: ReadonlySet<string>) {}

  keeps(entry: Taken): boolean {
    const outers = outersOf(entry.path);
    const kept = !this.#isPassed(entry, outers) && this.#counts(entry, outers);
    if (entry.kind === 'step.completed') this.#completed.add(entry.path);
    if (entry.kind === 'loop.item') this.#items.set(itemPath(entry.path, entry.index), entry.last);
    if (entry.kind === 'loop.turn' && !this.#turns.has(entry.path)) this.#turns.set(entry.path, entry.index);
    return kept;
  }

  /** What a step was that is done, or in which turn a loop was before its last; items of a loop that is done. */
  #isPassed({ kind, path }: Taken, outers: readonly string[]): boolean {
    const isDone = (step: string): boolean => this.#completed.has(step) && !this.undoable.has(step);
    if (outers.some((outer) => outer.endsWith(']') && isDone(blockOf(outer)))) return true;
    if (kind === 'loop.turn' && this.#turns.has(path) && !this.undoable.has(path)) return true;
    return isMove(kind) && isDone(path);
  }

  #counts({ kind, path }: Taken, outers: readonly string[]): boolean {
    const item = outers.findLast((outer) => this.#items.has(outer));
    if (item !== undefined && !this.undoable.has(item))
      return kind === 'step.completed' && path === stepPath(item, this.#items.get(item) ?? '');
    const turn = outers.find((outer) => this.#isPast(outer));
    if (turn !== undefined && !this.undoable.has(turn)) return !isMove(kind) && this.#isLastWord(planPath(path));
    if (turn !== undefined || item !== undefined || outers.some((outer) => this.#completed.has(outer))) return true;
    // Still to be done: but for what failed, and what was done because of that.
    const succeeded = isMove(kind) || kind === 'step.completed';
    return succeeded && enclosing(path, ['catch', 'finally', 'on_error']) === null;
  }

  #isPast(outer: string): boolean {
    const turn = loopsOf(outer).at(-1);
    return turn?.kind === 'turn' && turn.block === outer && turn.index < (this.#turns.get(blockOf(outer)) ?? 0);
  }

  #isLastWord(planned: string): boolean {
    if (this.#told.has(planned)) return false;
    this.#told.add(planned);
    return true;
  }
}

/** Entries that say how far a step is that holds others. */
const isMove = (kind: Taken['kind']): boolean => kind === 'step.opened' || kind === 'loop.turn' || kind === 'loop.item';

/** The blocks and steps that a path is in, from the innermost. */
export function outersOf(path: string): string[] {
  const outers: string[] = [];
  for (let outer = blockOf(path); outer !== ''; outer = blockOf(outer)) outers.push(outer);
  return outers;
}
