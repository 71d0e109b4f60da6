import { blocksOf } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { DslDiffView, StepPlace, ValueChange } from '../../../contracts/workflows/versions';

/** Of steps and of the rest each. */
const MAX_CHANGES = 500;
/** Members that hold steps, which are compared on their own. */
const BLOCKS = ['steps', 'on_error', 'else', 'catch', 'finally', 'compensate'] as const;
const LISTS_OF_BLOCKS = ['cases', 'branches'] as const;

interface Placed extends StepPlace {
  /** Among the steps of its block. */
  readonly index: number;
  /** The step without the steps in it. */
  readonly own: JsonObject;
}

/** What leads from one document to another. Pure; both are documents that the language has accepted. */
export function compareDsl(before: JsonObject, after: JsonObject): DslDiffView {
  const [old, now] = [stepsOf(before), stepsOf(after)];
  const budget = { left: MAX_CHANGES };
  const document = changes(withoutSteps(before), withoutSteps(after), '', { left: MAX_CHANGES });
  const both = [...now.values()].filter(({ id }) => old.has(id));
  const changed = both.flatMap((step) => {
    const list = changes((old.get(step.id) as Placed).own, step.own, '', budget);
    return list.length === 0 ? [] : [{ id: step.id, changes: list }];
  });
  const steps = {
    added: [...now.values()].filter(({ id }) => !old.has(id)).map(placeOf),
    removed: [...old.values()].filter(({ id }) => !now.has(id)).map(placeOf),
    moved: moves(old, both),
    changed,
  };
  const lists = [steps.added, steps.removed, steps.moved, steps.changed, document];
  return {
    same: lists.every((list) => list.length === 0),
    steps,
    document,
    truncated: budget.left === 0 || document.length === MAX_CHANGES,
  };
}

const placeOf = ({ id, type, within }: Placed): StepPlace => ({ id, type, within });

function stepsOf(dsl: JsonObject): Map<string, Placed> {
  const found = new Map<string, Placed>();
  const walk = (list: readonly unknown[], within: string): void => {
    for (const [index, step] of list.entries()) {
      if (!isObject(step)) continue;
      const id = String(step.id);
      found.set(id, { id, type: String(step.type), within, index, own: withoutSteps(step as JsonObject) });
      for (const block of blocksOf(step)) walk(block.steps, `${id}.${block.key}`);
    }
  };
  for (const block of blocksOf(dsl)) walk(block.steps, block.key);
  return found;
}

/** A document, or a step, without the steps in it. */
function withoutSteps(part: JsonObject): JsonObject {
  const own: JsonObject = { ...part };
  for (const key of BLOCKS) if (Array.isArray(own[key])) delete own[key];
  for (const key of LISTS_OF_BLOCKS) {
    const list = own[key];
    if (Array.isArray(list)) own[key] = list.map((block) => (isObject(block) ? omitSteps(block) : block));
  }
  return own;
}

const omitSteps = ({ steps: _steps, ...rest }: JsonObject): JsonObject => rest;

/** Steps that are in another block now, and the fewest whose change of places makes the new order of a block. */
function moves(old: ReadonlyMap<string, Placed>, both: readonly Placed[]): DslDiffView['steps']['moved'] {
  const moved = both.filter(({ id, within }) => old.get(id)?.within !== within);
  for (const steps of byBlock(both.filter((step) => !moved.includes(step)))) {
    const inOrder = longestRise(steps.map(({ id }) => (old.get(id) as Placed).index));
    moved.push(...steps.filter((_, index) => !inOrder.has(index)));
  }
  return moved.map(({ id, within }) => ({ id, from: (old.get(id) as Placed).within, to: within }));
}

function byBlock(steps: readonly Placed[]): Placed[][] {
  const blocks = new Map<string, Placed[]>();
  for (const step of steps) blocks.set(step.within, [...(blocks.get(step.within) ?? []), step]);
  return [...blocks.values()];
}

/** A rising part of a list: how many numbers it has, and the index of the one before its last; -1 for none. */
interface Rise {
  readonly length: number;
  readonly before: number;
}

/** Indexes of a longest rising part of a list of different numbers. */
function longestRise(list: readonly number[]): Set<number> {
  /** The longest that ends at each index. */
  const rises: Rise[] = [];
  for (const value of list) {
    const before = longestOf(rises, (index) => (list[index] as number) < value);
    rises.push({ length: (rises[before]?.length ?? 0) + 1, before });
  }
  const rise = new Set<number>();
  for (let index = longestOf(rises, () => true); index !== -1; index = rises[index]?.before ?? -1) rise.add(index);
  return rise;
}

/** The index of the first of the longest that are meant; -1 for none. */
function longestOf(rises: readonly Rise[], isMeant: (index: number) => boolean): number {
  let longest = -1;
  for (const [index, { length }] of rises.entries())
    if (isMeant(index) && length > (rises[longest]?.length ?? 0)) longest = index;
  return longest;
}

function changes(before: Json, after: Json, path: string, budget: { left: number }): ValueChange[] {
  if (budget.left === 0) return [];
  // Equal parts are not looked for first: each level would compare all that is below it once more.
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => memberChanges(before, after, key, path === '' ? key : `${path}.${key}`, budget));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => changes(item, after[index] as Json, `${path}[${index}]`, budget));
  }
  if (Object.is(before, after)) return [];
  budget.left -= 1;
  return [{ path, before, after }];
}

function memberChanges(
  before: JsonObject,
  after: JsonObject,
  key: string,
  path: string,
  budget: { left: number },
): ValueChange[] {
  const [was, is] = [Object.hasOwn(before, key), Object.hasOwn(after, key)];
  if (was && is) return changes(before[key] as Json, after[key] as Json, path, budget);
  if (budget.left === 0) return [];
  budget.left -= 1;
  return [was ? { path, before: before[key] } : { path, after: after[key] }];
}
