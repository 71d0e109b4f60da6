import { blocksOf, controlType, stepsIn } from '../../../dsl';
import { isObject, type JsonObject } from '../../../lib/json';

/**
 * The part of a valid document that leads to a step: in each list the step, or the one that holds it, with those that it
 * waits for. Blocks beside that of the step stay, as a run may take them, except branches that run beside it.
 */
export function upToStep(dsl: JsonObject, id: string): JsonObject {
  const { output: _output, ...rest } = dsl;
  return cut(rest, id);
}

function cut(holder: JsonObject, id: string): JsonObject {
  const copy = structuredClone(holder);
  for (const { path, steps } of blocksOf(copy)) {
    const list = steps as readonly JsonObject[];
    const at = list.findIndex((step) => step.id === id || holds(step, id));
    if (at === -1) continue;
    const target = list[at] as JsonObject;
    const kept = neededFor(list, at).map((step) => (step === target && step.id !== id ? cut(step, id) : step));
    replace(copy, path, kept);
    return copy;
  }
  return copy;
}

const holds = (step: JsonObject, id: string): boolean => [...stepsIn([step])].some((inner) => inner.id === id);

/** A step of a list and all that it waits for, in their order; without `needs` a step waits for the one before. */
function neededFor(list: readonly JsonObject[], at: number): readonly JsonObject[] {
  const wanted = new Set<number>();
  const pending = [at];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (index < 0 || wanted.has(index)) continue;
    wanted.add(index);
    const needs = list[index]?.needs;
    if (!Array.isArray(needs)) pending.push(index - 1);
    else for (const need of needs) pending.push(list.findIndex((step) => step.id === need));
  }
  return list.filter((_, index) => wanted.has(index));
}

const INDEXED = /^(cases|branches)\[(\d+)\]\.steps$/;

/** Replaces the block at a path (see `blocksOf`) with a list. */
function replace(holder: JsonObject, path: string, steps: readonly JsonObject[]): void {
  const [, name, index] = INDEXED.exec(path) ?? [];
  if (name === undefined) {
    holder[path] = [...steps];
    return;
  }
  const list = holder[name];
  const block = Array.isArray(list) ? list[Number(index)] : undefined;
  if (!isObject(block)) return;
  const own: JsonObject = { ...block, steps: [...steps] };
  if (controlType(String(holder.type)) === 'parallel') {
    holder[name] = [own];
    delete holder.wait;
  } else if (Array.isArray(list)) holder[name] = list.map((each, n) => (n === Number(index) ? own : each));
}
