/**
 * Modules whose tasks may run on a compute thread: paths from the program's root, without extension. A thread loads a
 * module when one of its tasks first runs.
 */
export const TASK_MODULES: readonly string[] = [
  'dsl/render-task',
  'lib/json-schema/check-sliced',
  'nodes/connectors/rss/parse',
  'nodes/data/computations',
  'services/auth/factors/passkeys/task',
  'services/auth/sso/saml/task',
  'services/connectors/openapi/task',
  'services/evaluations/rules/compare',
  'services/evaluations/rules/import-rows',
  'services/skills/rules/draft',
];

/**
 * A pure function that gives the same result inline and on a compute thread. Input and result must support structured
 * clone; a result that is a `Uint8Array` with its own buffer is transferred. Expected faults are part of the result: a
 * task that throws fails as `crashed`.
 */
export interface ComputeTask<Input, Result> {
  readonly module: string;
  /** The module's export. */
  readonly name: string;
  readonly run: (input: Input) => Result | Promise<Result>;
}

/** Declares a task, which `module` (one of TASK_MODULES) must export under `name`. */
export const defineTask = <Input, Result>(
  module: string,
  name: string,
  run: (input: Input) => Result | Promise<Result>,
): ComputeTask<Input, Result> => ({ module, name, run });
