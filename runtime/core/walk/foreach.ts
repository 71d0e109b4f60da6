import { CONTROL_LIMITS, itemPath, loopsOf, renderReference } from '../../../dsl';
import { isObject, type Json, jsonSize } from '../../../lib/json';
import type { ControlState } from '../entries/entry';
import type { LoopCursor, ContainerState } from '../state/state';
import type { DecisionBuilder } from '../decide/decision-builder';
import { evaluate, keep } from './evaluate';
import { type OpenResult, type Control, type ControlStatus, type ContainerStep, OPEN } from './control';

/** How many items a loop may have. */
const MAX_ITEMS = CONTROL_LIMITS.items;

/** Runs one block per item of a list, up to `concurrency` at a time, beginning in the order of the list. */
export const foreach: Control<'foreach'> = {
  begin(run, { items, concurrency }, path) {
    const prepared = run.state.evaluations.get(path)?.get(CONTROL_STATE);
    if (prepared?.kind === 'pending') return { kind: 'later' };
    if (prepared?.kind === 'refused') return refused(prepared.message);
    // The value was made by `opened`, below.
    if (prepared?.kind === 'value') return { kind: 'opened', controlState: prepared.value as unknown as ControlState };
    const found = evaluate(run, items, path, 'The list of items', renderReference);
    if (found.kind !== 'value') return found;
    const result = opened(found.value, concurrency);
    return result.kind === 'opened' && isLarge(found.value) ? prepareFirst(run, path, result.controlState) : result;
  },

  walk(container) {
    const { run, path, opened, controlState } = container;
    const cursor = cursorOf(container);
    // The loop has failed, while other items are still being ended.
    if (cursor.failure !== null) return { kind: 'failed', failure: cursor.failure };
    for (const index of movedOf(cursor)) {
      const failed = walkItem(container, cursor, index);
      if (failed !== null) return failed;
    }
    while (
      cursor.active.size < controlState.concurrency &&
      cursor.next < controlState.items.length &&
      !run.atEntryLimit
    ) {
      const index = cursor.next;
      const isDone = opened.results.has(index);
      if (!isDone && mustWait(run, cursor, itemPath(path, index))) break;
      cursor.next++;
      if (isDone) continue;
      cursor.active.add(index);
      const failed = walkItem(container, cursor, index);
      if (failed !== null) return failed;
    }
    return opened.results.size < controlState.items.length
      ? OPEN
      : { kind: 'done', output: outputOf(opened, controlState.items) };
  },
};

/** Name of the evaluation that holds the control state of a large list while its JSON is written. */
const CONTROL_STATE = 'control state';

/** Lists up to this size are encoded with their decision. In characters. */
const MAX_ENCODED_AT_ONCE = 1024 * 1024;

const isLarge = (list: Json): boolean => jsonSize(list, MAX_ENCODED_AT_ONCE) > MAX_ENCODED_AT_ONCE;

/** A large list is a reference to an output. Its JSON is written in slices of time, and stored once, as a payload. */
function prepareFirst(run: DecisionBuilder, path: string, controlState: ControlState): OpenResult {
  const value = controlState as unknown as Json;
  keep(run.state, path, CONTROL_STATE, { kind: 'pending' });
  run.decision.commands.push({ kind: 'prepare', path, what: CONTROL_STATE, value });
  return { kind: 'later' };
}

/**
 * True when an item must wait until the run has fewer open steps. Items that began before this activation do not wait,
 * and each loop always has one active item.
 */
const mustWait = ({ state, atConcurrencyLimit }: DecisionBuilder, { active }: LoopCursor, block: string): boolean =>
  atConcurrencyLimit && active.size > 0 && !state.tree.hasChildren(block);

/** Continues one item; returns its failure, which fails the loop. */
function walkItem(
  { run, path, walk, last }: ContainerStep<'foreach'>,
  cursor: LoopCursor,
  index: number,
): ControlStatus | null {
  const block = itemPath(path, index);
  const walked = walk('steps', block);
  if (walked.kind === 'failed') {
    cursor.failure = walked.failure;
    return walked;
  }
  if (walked.kind === 'done') {
    const id = last('steps', block)?.id ?? null;
    run.emit({ kind: 'loop.item', path, at: run.now, index, last: id });
    cursor.active.delete(index);
  }
  return null;
}

/** The active items in which something may have changed since the last walk; they are walked now. */
function movedOf({ active, moved }: LoopCursor): number[] {
  const indexes = [...moved].filter((index) => active.has(index));
  moved.clear();
  return indexes;
}

/** Items begin in order, so after a crash the active ones are the first that are not done. */
function cursorOf({ run, path, statusOf }: ContainerStep<'foreach'>): LoopCursor {
  const { loops, tree } = run.state;
  const known = loops.get(path);
  if (known !== undefined) return known;
  const startedBlocks = [...tree.childrenOf(path)].filter((block) => loopsOf(block).at(-1)?.block === block);
  const [failed] = startedBlocks.map((block) => statusOf('steps', block)).filter(({ kind }) => kind === 'failed');
  const failure = failed?.kind === 'failed' ? failed.failure : null;
  const cursor = { active: new Set<number>(), moved: new Set<number>(), next: 0, failure };
  loops.set(path, cursor);
  return cursor;
}

function outputOf({ results }: ContainerState, items: readonly Json[]): { results: Json[]; count: number } {
  return { results: items.map((_, index) => results.get(index) ?? null), count: items.length };
}

function opened(value: Json, concurrency: number): OpenResult {
  const items = itemsOf(value);
  if (items === null) return refused(`A loop goes over a list or an object, and this is ${described(value)}`);
  if (items.length > MAX_ITEMS)
    return refused(`A loop goes over at most ${MAX_ITEMS} items, and these are ${items.length}`);
  return { kind: 'opened', controlState: { kind: 'foreach', items, concurrency } };
}

function itemsOf(value: Json): Json[] | null {
  if (Array.isArray(value)) return value;
  return isObject(value)
    ? Object.entries(value as Record<string, Json>).map(([key, each]) => ({ key, value: each }))
    : null;
}

const described = (value: Json): string => (value === null ? 'null' : `a ${typeof value}`);

const refused = (message: string): OpenResult => ({ kind: 'refused', error: { code: 'invalid_items', message } });
