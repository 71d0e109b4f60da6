import { isObject, type JsonObject, type Path, pathText } from './path';

/** A document that has the changes of both sides, and where both have changed the same. */
interface Merged {
  readonly document: JsonObject;
  /** Paths at which mine was taken although theirs has changed, too. */
  readonly conflicts: readonly string[];
}

/** Joins two documents that began with the same one. Steps are found by their ids; where both differ, mine is taken. */
export function mergeDocuments(base: JsonObject, mine: JsonObject, theirs: JsonObject): Merged {
  const conflicts: string[] = [];
  const document = merged(base, mine, theirs, [], conflicts) as JsonObject;
  return { document, conflicts };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function merged(base: unknown, mine: unknown, theirs: unknown, path: Path, conflicts: string[]): unknown {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (isObject(mine) && isObject(theirs)) {
    return mergedObject(isObject(base) ? base : {}, mine, theirs, path, conflicts);
  }
  if (isStepList(mine) && isStepList(theirs)) {
    return mergedSteps(isStepList(base) ? base : [], mine, theirs, path, conflicts);
  }
  conflicts.push(pathText(path));
  return mine;
}

function mergedObject(
  base: JsonObject,
  mine: JsonObject,
  theirs: JsonObject,
  path: Path,
  conflicts: string[],
): JsonObject {
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
  const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
  return Object.fromEntries(
    keys
      .map((key) => [key, merged(own(base, key), own(mine, key), own(theirs, key), [...path, key], conflicts)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

type StepLike = JsonObject & { readonly id: string };

const isStepList = (value: unknown): value is readonly StepLike[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item.id === 'string');

/** Mine in their order, without those that were removed there, and with those that were added there after the step before them. */
function mergedSteps(
  base: readonly StepLike[],
  mine: readonly StepLike[],
  theirs: readonly StepLike[],
  path: Path,
  conflicts: string[],
): readonly unknown[] {
  const find = (list: readonly StepLike[], id: string): StepLike | undefined => list.find((step) => step.id === id);
  const result: StepLike[] = [];
  for (const [index, step] of mine.entries()) {
    const [before, other] = [find(base, step.id), find(theirs, step.id)];
    const removedThere = before !== undefined && other === undefined;
    if (removedThere && same(before, step)) continue;
    if (removedThere) conflicts.push(pathText([...path, index]));
    const next = other === undefined ? step : merged(before, step, other, [...path, index], conflicts);
    result.push(next as StepLike);
  }
  for (const [index, step] of theirs.entries()) {
    const before = find(base, step.id);
    if (find(mine, step.id) !== undefined || (before !== undefined && same(before, step))) continue;
    // It was changed there and removed here: what has been worked on is kept.
    if (before !== undefined) conflicts.push(pathText([...path, index]));
    const previous = theirs.slice(0, index).findLast(({ id }) => result.some((each) => each.id === id));
    const at = previous === undefined ? 0 : result.findIndex(({ id }) => id === previous.id) + 1;
    result.splice(at, 0, step);
  }
  return result;
}
