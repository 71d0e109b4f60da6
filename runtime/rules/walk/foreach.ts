import { CONTROL_LIMITS, itemPath, loopsOf } from '../../../dsl';
import { isObject, type Json } from '../../../lib/json';
import type { LoopCursor, OpenedStep } from '../../record/state';
import type { Turn } from '../turn';
import { evaluate } from './evaluate';
import { type Begun, type Control, type Held, type Holder, OPEN } from './walked';

/** How many items a loop may have. */
const MOST_ITEMS = CONTROL_LIMITS.items;

/** One block for each item of a list, so many at a time; they begin in the order of the list. */
export const foreach: Control<'foreach'> = {
  begin(run, { items, concurrency }, path) {
    const found = evaluate(run, items, path, 'The list of items');
    return found.kind === 'refused' ? found : opened(found.value, concurrency);
  },

  walk(holder) {
    const { run, path, opened, opening } = holder;
    const cursor = cursorOf(holder);
    // Decided, though what is under way in other items is still being brought to its end.
    if (cursor.failure !== null) return { kind: 'failed', failure: cursor.failure };
    for (const index of movedOf(holder, cursor)) {
      const failed = walkItem(holder, cursor, index);
      if (failed !== null) return failed;
    }
    while (cursor.live.size < opening.concurrency && cursor.next < opening.items.length && !run.full) {
      const index = cursor.next;
      const isDone = opened.results.has(index);
      if (!isDone && mustWait(run, cursor, itemPath(path, index))) break;
      cursor.next++;
      if (isDone) continue;
      cursor.live.add(index);
      const failed = walkItem(holder, cursor, index);
      if (failed !== null) return failed;
    }
    return opened.results.size < opening.items.length
      ? OPEN
      : { kind: 'done', output: outputOf(opened, opening.items) };
  },
};

/**
 * Whether an item must wait until the run has less under way. One that has begun, before this host took the run on,
 * waits for nobody, and no loop stands still.
 */
const mustWait = ({ state, crowded }: Turn, { live }: LoopCursor, block: string): boolean =>
  crowded && live.size > 0 && !state.inside.has(block);

/** Goes on with one item; its failure, which is that of the loop. */
function walkItem({ run, path, walk, last }: Holder<'foreach'>, cursor: LoopCursor, index: number): Held | null {
  const block = itemPath(path, index);
  const walked = walk('steps', block);
  if (walked.kind === 'failed') {
    cursor.failure = walked.failure;
    return walked;
  }
  if (walked.kind === 'done') {
    const id = last('steps', block)?.id ?? null;
    run.emit({ kind: 'loop.item', path, at: run.now, index, last: id });
    cursor.live.delete(index);
  }
  return null;
}

/** The items under way in which something may have moved. */
function movedOf({ run: { touched }, path }: Holder<'foreach'>, { live }: LoopCursor): number[] {
  if (touched === null) return [...live];
  const inside = `${path}/steps[`;
  const moved = touched.flatMap((each) =>
    each.startsWith(inside) ? [Number.parseInt(each.slice(inside.length), 10)] : [],
  );
  return [...new Set(moved)].filter((index) => live.has(index));
}

/** Items begin in order, so after a crash those that were under way are the first that are not done. */
function cursorOf({ run, path, standing }: Holder<'foreach'>): LoopCursor {
  const { loops, inside } = run.state;
  const known = loops.get(path);
  if (known !== undefined) return known;
  const begun = [...inside.in(path)].filter((block) => loopsOf(block).at(-1)?.block === block);
  const [failed] = begun.map((block) => standing('steps', block)).filter(({ kind }) => kind === 'failed');
  const failure = failed?.kind === 'failed' ? failed.failure : null;
  const cursor = { live: new Set<number>(), next: 0, failure };
  loops.set(path, cursor);
  return cursor;
}

function outputOf({ results }: OpenedStep, items: readonly Json[]): { results: Json[]; count: number } {
  return { results: items.map((_, index) => results.get(index) ?? null), count: items.length };
}

function opened(value: Json, concurrency: number): Begun {
  const items = itemsOf(value);
  if (items === null) return refused(`A loop goes over a list or an object, and this is ${described(value)}`);
  if (items.length > MOST_ITEMS)
    return refused(`A loop goes over at most ${MOST_ITEMS} items, and these are ${items.length}`);
  return { kind: 'opened', opening: { kind: 'foreach', items, concurrency } };
}

function itemsOf(value: Json): Json[] | null {
  if (Array.isArray(value)) return value;
  return isObject(value)
    ? Object.entries(value as Record<string, Json>).map(([key, each]) => ({ key, value: each }))
    : null;
}

const described = (value: Json): string => (value === null ? 'null' : `a ${typeof value}`);

const refused = (message: string): Begun => ({ kind: 'refused', error: { code: 'invalid_items', message } });
