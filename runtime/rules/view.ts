import { blockOf, loopsOf, planPath, type PreparedPlan, scopeOf, stepIdOf } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import { itemAt } from '../record/fold';
import type { RunState, Undoable } from '../record/state';
import { enclosing } from './enclosing';
import { errorAt } from './failure';

/** What a step sees of the rest of the run. Values are those of the state: not to be changed. */
export interface View {
  /** Outputs by step id; the inner loop's hide those further out. */
  steps(): JsonObject;
  /** The innermost loop's item and number; undefined outside of loops. */
  loop(): JsonObject | undefined;
  /** The error that is being handled; undefined where there is none to handle, null where there may be none. */
  error(): Json | undefined;
  /** How people name a step: its id, and the numbers of the loops that it shares with this one. */
  addressOf(stepId: string): string;
}

/** What a test gives a step to see that has nothing else around it. */
export interface Given {
  readonly steps: JsonObject;
  readonly loop: JsonObject | undefined;
  readonly error: Json | undefined;
}

/** A view with what is given behind it: what the run itself has comes first. */
export const withGiven = (view: View, given: Given | undefined): View =>
  given === undefined
    ? view
    : {
        ...view,
        steps: () => Object.assign(Object.create(null) as JsonObject, given.steps, view.steps()),
        loop: () => view.loop() ?? given.loop,
        error: () => view.error() ?? given.error,
      };

/** What the step at a path sees; a path that ends with a slash stands for whatever step of a block. */
export function viewAt(plan: PreparedPlan, state: RunState, path: string): View {
  return {
    steps: () => outputsSeenAt(state, path),
    loop: () => loopAt(state, path),
    error: () => errorAt(plan, state, path),
    addressOf: (stepId) => addressSeenAt(plan, stepId, path),
  };
}

function outputsSeenAt(state: RunState, path: string): JsonObject {
  const hiding: JsonObject[] = [];
  for (let scope = scopeOf(path); scope !== ''; scope = scopeOf(blockOf(scope))) {
    const item = state.items.get(scope);
    if (item !== undefined) hiding.unshift(item.outputs);
  }
  const undone = undoneAt(state, path);
  if (undone !== undefined) hiding.push({ [stepIdOf(undone.path)]: undone.output });
  if (hiding.length === 0) return state.outputs;
  return Object.assign(Object.create(null) as JsonObject, state.outputs, ...hiding);
}

/** The step that steps at a path undo. */
function undoneAt({ undoables }: RunState, path: string): Undoable | undefined {
  const holder = undoables.length === 0 ? null : enclosing(path, ['compensate']);
  return holder === null ? undefined : undoables.find((undoable) => undoable.path === holder.step);
}

const loopAt = (state: RunState, path: string): JsonObject | undefined =>
  loopsOf(path).reduce<JsonObject | undefined>((parent, { kind, block, index }) => {
    const own: JsonObject = kind === 'turn' ? { index } : { item: itemAt(state, block), index };
    return parent === undefined ? own : { ...own, parent };
  }, undefined);

const paths = new WeakMap<PreparedPlan, ReadonlyMap<string, string>>();

/** Paths in the plan by step id. */
function pathsOf(plan: PreparedPlan): ReadonlyMap<string, string> {
  const known = paths.get(plan) ?? new Map([...plan.byPath].map(([path, { def }]) => [def.id, path]));
  paths.set(plan, known);
  return known;
}

function addressSeenAt(plan: PreparedPlan, stepId: string, path: string): string {
  const target = pathsOf(plan).get(stepId) ?? stepId;
  const shared = loopsOf(path).filter(({ block }) => target.startsWith(`${planPath(block)}/`));
  return [stepId, ...shared.map(({ index }) => index)].join('.');
}
