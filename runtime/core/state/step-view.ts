import { blockOf, loopsOf, planPath, type PreparedPlan, scopeOf, stepIdOf } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { itemAt } from './fold';
import type { RunState, Undoable } from './state';
import { nearestBlock } from './nearest-block';
import { errorAt } from '../decide/failure';

/** The data of the run that a step can use. Values belong to the state and must not be changed. */
export interface StepView {
  /** Outputs by step id; those of inner loops hide those of outer ones. */
  steps(): JsonObject;
  /** The item and index of the innermost loop; undefined outside loops. */
  loop(): JsonObject | undefined;
  /** The handled error; undefined outside handlers, null in a handler without an error. */
  error(): Json | undefined;
  /** The address of a step: its id and the indexes of the loops that it shares with this one. */
  addressOf(stepId: string): string;
}

/** Data that a step test provides in place of a run. */
export interface TestFixture {
  readonly steps: JsonObject;
  readonly loop: JsonObject | undefined;
  readonly error: Json | undefined;
}

/** A view with fallbacks from a fixture; data of the run comes first. */
export const withFixture = (view: StepView, fixture: TestFixture | undefined): StepView =>
  fixture === undefined
    ? view
    : {
        addressOf: (stepId) => view.addressOf(stepId),
        steps: () => Object.assign(Object.create(null) as JsonObject, fixture.steps, view.steps()),
        loop: () => view.loop() ?? fixture.loop,
        error: () => view.error() ?? fixture.error,
      };

/** The view at a path; a path that ends with a slash stands for any step of a block. */
export const viewAt = (plan: PreparedPlan, state: RunState, path: string): StepView =>
  new ViewAtPath(plan, state, path);

class ViewAtPath implements StepView {
  constructor(
    private readonly plan: PreparedPlan,
    private readonly state: RunState,
    private readonly path: string,
  ) {}

  steps(): JsonObject {
    return outputsSeenAt(this.state, this.path);
  }

  loop(): JsonObject | undefined {
    return loopAt(this.state, this.path);
  }

  error(): Json | undefined {
    return errorAt(this.plan, this.state, this.path);
  }

  addressOf(stepId: string): string {
    return addressSeenAt(this.plan, stepId, this.path);
  }
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

/** The step that is compensated at a path. */
function undoneAt({ undoables }: RunState, path: string): Undoable | undefined {
  const holder = undoables.length === 0 ? null : nearestBlock(path, ['compensate']);
  return holder === null ? undefined : undoables.find((undoable) => undoable.path === holder.step);
}

const loopAt = (state: RunState, path: string): JsonObject | undefined =>
  loopsOf(path).reduce<JsonObject | undefined>((parent, { kind, block, index }) => {
    const own: JsonObject = kind === 'iteration' ? { index } : { item: itemAt(state, block), index };
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
