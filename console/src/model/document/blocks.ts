import { edited, type Edit, insertSteps, outermost, refused } from './edit';
import { idsOf, newId } from './ids';
import { isObject, type JsonObject, type Path, samePath, valueAt, withoutValue, withValue } from './path';
import { withNeedsAmong } from './references';
import { type BlockType, blockTypeOf, placesOf } from './walk';

/** A condition that always holds, until the user writes another. */
const ALWAYS = '{{ true }}';

/** A new step of a type. A block has its lists, the first of them with the given steps. */
export function newStep(type: string, id: string, steps: readonly unknown[] = []): JsonObject {
  switch (blockTypeOf(type)) {
    case 'branch':
      return { id, type, cases: [{ when: ALWAYS, steps }], else: [] };
    case 'parallel':
      return {
        id,
        type,
        branches: [
          { id: 'first', steps },
          { id: 'second', steps: [] },
        ],
      };
    case 'foreach':
      return { id, type, config: { items: '{{ trigger.body.items }}' }, steps };
    case 'while':
      return { id, type, config: { condition: '{{ false }}', max_iterations: 10 }, steps };
    case 'try':
      return { id, type, steps, catch: [], finally: [] };
    case null:
      return { id, type, config: {} };
  }
}

/** Puts consecutive steps of one list into a new block at their place. */
export function wrapSteps(document: JsonObject, paths: readonly Path[], type: BlockType): Edit {
  const chosen = outermost(placesOf(document), paths);
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return refused('Select a step first');
  const consecutive = chosen.every(
    (place, at) => samePath(place.list.path, first.list.path) && place.index === first.index + at,
  );
  if (!consecutive) return refused('Select steps that follow each other in one list to wrap them');
  const items = valueAt(document, first.list.path) as readonly unknown[];
  const inner = items.slice(first.index, last.index + 1);
  const ids = new Set(chosen.map(({ id }) => id));
  const outside = first.list.steps.filter((_step, index) => index < first.index || index > last.index);
  if (outside.some(({ needs }) => Array.isArray(needs) && needs.some((id) => ids.has(String(id))))) {
    return refused('Another step of this list needs one of these by its id; remove that need first');
  }
  const id = newId(type, idsOf(document));
  const block = newStep(
    type,
    id,
    inner.map((step) => (isObject(step) ? withNeedsAmong(step, ids) : step)),
  );
  // The block waits for what the steps in it have waited for.
  const needs = inner.flatMap((step) => (isObject(step) && Array.isArray(step.needs) ? (step.needs as unknown[]) : []));
  const awaited = [...new Set(needs)].filter((need) => !ids.has(String(need)));
  const placed = awaited.length === 0 ? block : { ...block, needs: awaited };
  const next = [...items.slice(0, first.index), placed, ...items.slice(last.index + 1)];
  const path = [...first.list.path, first.index];
  // `insertSteps` checks the bounds of an empty insertion, which are those of the whole.
  const checked = insertSteps(
    withValue(document, first.list.path, next) as JsonObject,
    { list: first.list.path, index: first.index },
    [],
  );
  return checked.ok ? edited(checked.document, [path]) : checked;
}

/** Puts the steps of the main list of a block in its place. */
export function unwrapStep(document: JsonObject, path: Path): Edit {
  const place = placesOf(document).find((each) => samePath(each.path, path));
  const type = blockTypeOf(place?.type);
  if (place === undefined || type === null) return refused('This step holds no others');
  const inner = mainSteps(place.step, type);
  const items = valueAt(document, place.list.path) as readonly unknown[];
  const beside = [...items.slice(0, place.index), ...items.slice(place.index + 1)];
  if (beside.some((step) => isObject(step) && Array.isArray(step.needs) && step.needs.includes(place.id))) {
    return refused(`Another step needs ${place.id}; remove that need first`);
  }
  const next = [...items.slice(0, place.index), ...inner, ...items.slice(place.index + 1)];
  const select = inner.map((_step, index) => [...place.list.path, place.index + index]);
  return edited(withValue(document, place.list.path, next), select);
}

function mainSteps(step: JsonObject, type: BlockType): readonly unknown[] {
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const ofBlocks = (value: unknown): readonly unknown[] =>
    list(value).flatMap((block) => (isObject(block) ? list(block.steps) : []));
  if (type === 'branch') return [...ofBlocks(step.cases), ...list(step.else)];
  if (type === 'parallel') return ofBlocks(step.branches);
  return list(step.steps);
}

/** Adds a case to a branch, or a branch to a parallel step. */
export function addBlock(document: JsonObject, path: Path): Edit {
  const step = valueAt(document, path);
  const type = blockTypeOf(isObject(step) ? step.type : undefined);
  if (!isObject(step) || (type !== 'branch' && type !== 'parallel'))
    return refused('Only branches and parallel steps have parts');
  const name = type === 'branch' ? 'cases' : 'branches';
  const blocks: readonly unknown[] = Array.isArray(step[name]) ? step[name] : [];
  const taken = new Set(blocks.map((block) => (isObject(block) ? String(block.id) : '')));
  const block = type === 'branch' ? { when: ALWAYS, steps: [] } : { id: newId('branch', taken), steps: [] };
  return edited(withValue(document, [...path, name], [...blocks, block]), [path]);
}

/** Removes a list from its step: a case or a branch with its steps, or a list with a name. */
export function removeList(document: JsonObject, list: Path): Edit {
  const isBlock =
    list.at(-1) === 'steps' && typeof list.at(-2) === 'number' && ['cases', 'branches'].includes(String(list.at(-3)));
  const path = isBlock ? list.slice(0, -1) : list;
  return edited(withoutValue(document, path), [isBlock ? list.slice(0, -3) : list.slice(0, -1)]);
}
