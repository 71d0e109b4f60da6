import { ID_PATTERN, idsOf, withFreshIds } from './ids';
import { isObject, isWithin, type JsonObject, type Path, samePath, valueAt, withoutValue, withValue } from './path';
import { renameReferences, withNeedsAmong } from './references';
import { listsOf, placesOf, type StepPlace } from './walk';

/** Steps and levels that the language allows. */
const MAX_STEPS = 500;
const MAX_DEPTH = 10;

/** The document after an edit and the steps to select, or why the edit cannot be made. */
export type Edit =
  | { readonly ok: true; readonly document: JsonObject; readonly select: readonly Path[] }
  | { readonly ok: false; readonly problem: string };

/** Where steps are put: before the step of that index in a list. */
export interface Target {
  readonly list: Path;
  readonly index: number;
}

export const refused = (problem: string): Edit => ({ ok: false, problem });
export const edited = (document: unknown, select: readonly Path[]): Edit => ({
  ok: true,
  document: document as JsonObject,
  select,
});

const itemsAt = (document: unknown, list: Path): readonly unknown[] => {
  const value = valueAt(document, list);
  return Array.isArray(value) ? value : [];
};

/** A list that does not exist yet is made, where its holder does. */
function inserted(document: unknown, { list, index }: Target, steps: readonly unknown[]): unknown {
  const items = itemsAt(document, list);
  return withValue(document, list, [...items.slice(0, index), ...steps, ...items.slice(index)]);
}

const pathsFrom = ({ list, index }: Target, count: number): Path[] =>
  Array.from({ length: count }, (_, offset) => [...list, index + offset]);

/** Names what would break the bounds of the language. */
function boundsOf(document: JsonObject): string | null {
  const places = placesOf(document);
  if (places.length > MAX_STEPS) return `A workflow has at most ${MAX_STEPS} steps; nested ones count`;
  if (places.some(({ depth }) => depth >= MAX_DEPTH)) return `Steps are nested at most ${MAX_DEPTH} deep`;
  return null;
}

function bounded(edit: Edit): Edit {
  const problem = edit.ok ? boundsOf(edit.document) : null;
  return problem === null ? edit : refused(problem);
}

const hasList = (document: JsonObject, list: Path): boolean =>
  listsOf(document).some(({ path }) => samePath(path, list));

/** Puts steps into a list, with ids that are free; references among them follow. */
export function insertSteps(document: JsonObject, target: Target, steps: readonly JsonObject[]): Edit {
  if (!hasList(document, target.list)) return refused('There is no list of steps at this place any more');
  const fresh = withFreshIds(steps, idsOf(document));
  const siblings = new Set(
    [...itemsAt(document, target.list), ...fresh].map((step) => (isObject(step) ? step.id : null)),
  );
  const ids = new Set([...siblings].filter((id) => typeof id === 'string'));
  const placed = fresh.map((step) => withNeedsAmong(step, ids));
  return bounded(edited(inserted(document, target, placed), pathsFrom(target, placed.length)));
}

/** The outermost of some paths, in the order of the document. */
export function outermost(places: readonly StepPlace[], paths: readonly Path[]): StepPlace[] {
  const chosen = places.filter(({ path }) => paths.some((each) => samePath(each, path)));
  return chosen.filter(({ path }) => !chosen.some((other) => other.path !== path && isWithin(path, other.path)));
}

/** From the last to the first, so that the paths of those before stay what they are. */
const withoutSteps = (document: JsonObject, removed: readonly StepPlace[]): JsonObject =>
  removed.toReversed().reduce<JsonObject>((left, { path }) => withoutValue(left, path) as JsonObject, document);

/** `needs` that name a step of no list of the same steps any more are removed. */
function withValidNeeds(document: JsonObject): JsonObject {
  return listsOf(document).reduce<JsonObject>((changed, { path, steps, written }) => {
    if (!written || !steps.some(({ needs }) => Array.isArray(needs))) return changed;
    const ids = new Set(steps.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
    return itemsAt(changed, path).reduce<JsonObject>((next, step, index) => {
      const kept = isObject(step) ? withNeedsAmong(step, ids) : step;
      return kept === step ? next : (withValue(next, [...path, index], kept) as JsonObject);
    }, changed);
  }, document);
}

/** Removes steps with what they hold. The step after them, or else before, is selected. */
export function removeSteps(document: JsonObject, paths: readonly Path[]): Edit {
  const removed = outermost(placesOf(document), paths);
  const [first] = removed;
  if (first === undefined) return refused('Select a step first');
  const left = withValidNeeds(withoutSteps(document, removed));
  const rest = itemsAt(left, first.list.path).length;
  const select = rest === 0 ? (first.list.holder ?? null) : [...first.list.path, Math.min(first.index, rest - 1)];
  return edited(left, select === null ? [] : [select]);
}

/** Moves steps to another place, in their order. */
export function moveSteps(document: JsonObject, paths: readonly Path[], target: Target): Edit {
  const moved = outermost(placesOf(document), paths);
  if (moved.length === 0) return refused('Select a step first');
  if (moved.some(({ path }) => isWithin(target.list, path))) return refused('A step cannot be moved into itself');
  if (!hasList(document, target.list)) return refused('There is no list of steps at this place any more');
  const left = withoutSteps(document, moved);
  const to = shifted(target, moved);
  const steps = moved.map(({ path }) => valueAt(document, path));
  return bounded(edited(withValidNeeds(inserted(left, to, steps) as JsonObject), pathsFrom(to, steps.length)));
}

/** A target after the given steps are gone: indexes along its path, and its own, move up. */
function shifted({ list, index }: Target, removed: readonly StepPlace[]): Target {
  const goneBefore = (holder: Path, at: number): number =>
    removed.filter((place) => samePath(place.list.path, holder) && place.index < at).length;
  const path = list.map((key, at) => (typeof key === 'number' ? key - goneBefore(list.slice(0, at), key) : key));
  return { list: path, index: index - goneBefore(list, index) };
}

/** Moves steps up or down in their list: over the step before or after. */
export function shiftSteps(document: JsonObject, paths: readonly Path[], by: -1 | 1): Edit {
  const moved = outermost(placesOf(document), paths);
  const [first, last] = [moved[0], moved.at(-1)];
  if (first === undefined || last === undefined) return refused('Select a step first');
  if (moved.some(({ list }) => !samePath(list.path, first.list.path))) {
    return refused('Select steps of one list to move them up or down');
  }
  const index = by === -1 ? first.index - 1 : last.index + 2;
  if (index < 0 || index > first.list.steps.length) {
    return refused(by === -1 ? 'This is the first step of its list' : 'This is the last step of its list');
  }
  return moveSteps(document, paths, { list: first.list.path, index });
}

/** Copies of steps after the last of them. */
export function duplicateSteps(document: JsonObject, paths: readonly Path[]): Edit {
  const chosen = outermost(placesOf(document), paths);
  const last = chosen.at(-1);
  if (last === undefined) return refused('Select a step first');
  return insertSteps(
    document,
    { list: last.list.path, index: last.index + 1 },
    chosen.map(({ step }) => step),
  );
}

/** Gives a step another id; expressions, code and `needs` that name it follow. */
export function renameStep(document: JsonObject, path: Path, id: string): Edit {
  if (isGone(document, path)) return refused('There is no step at this place any more');
  const from = valueAt(document, [...path, 'id']);
  if (id === from) return edited(document, [path]);
  if (!ID_PATTERN.test(id)) return refused('An id is a letter, then up to 63 letters, digits, _ or -');
  if (idsOf(document).has(id)) return refused(`Another step has the id ${id}`);
  // References to an id that two steps have mean the first of them.
  const first = placesOf(document).find((place) => place.id === from);
  const isReferred = typeof from === 'string' && first !== undefined && samePath(first.path, path);
  const renamed = isReferred ? renameReferences(document, from, id) : document;
  return edited(withValue(renamed, [...path, 'id'], id), [path]);
}

/** Sets a member of a step or of the document; undefined removes it. An object that gets empty by that stays. */
export function setValue(document: JsonObject, path: Path, value: unknown, step: Path | null = null): Edit {
  if (isGone(document, path)) return refused('There is no step at this place any more');
  const next = value === undefined ? withoutValue(document, path) : withValue(document, path, value);
  return bounded(edited(next, step === null ? [] : [step]));
}

/** Whether a path leads through an item of a list that is not there. */
const isGone = (document: JsonObject, path: Path): boolean =>
  path.some((key, at) => typeof key === 'number' && key >= itemsAt(document, path.slice(0, at)).length);
