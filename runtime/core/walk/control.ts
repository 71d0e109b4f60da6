import type { PreparedControl, PreparedStep } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { ControlState } from '../entries/entry';
import type { ContainerState } from '../state/state';
import type { Failure } from '../decide/failure';
import type { DecisionBuilder } from '../decide/decision-builder';

/** The status of a block after every ready step has begun. */
export type BlockStatus = { kind: 'open' } | { kind: 'done' } | { kind: 'failed'; failure: Failure };

export const OPEN = { kind: 'open' } as const;
export const DONE = { kind: 'done' } as const;

/** The status of a container step, with its output when it is done. */
export type ControlStatus = Exclude<BlockStatus, { kind: 'done' }> | { kind: 'done'; output: JsonObject };

/** The initial control state of a container step, or why it cannot begin. */
export type OpenResult =
  | { kind: 'opened'; controlState: ControlState }
  | { kind: 'refused'; error: StepError }
  | { kind: 'later' };

export type ControlKind = PreparedControl['kind'];

/** An open container step, as the rules of its kind see it. */
export interface ContainerStep<Kind extends ControlKind> {
  readonly run: DecisionBuilder;
  readonly path: string;
  readonly step: PreparedStep;
  readonly control: Extract<PreparedControl, { kind: Kind }>;
  readonly opened: ContainerState;
  readonly controlState: Extract<ControlState, { kind: Kind }>;
  /** Continues one of its blocks; `at` is its path in the run, if it is not directly below the step. */
  readonly walk: (key: string, at?: string) => BlockStatus;
  /**
   * The status of one of its blocks, before it continues. A race decided by one block stays decided while the `finally`
   * of another one runs, and nothing begins that is to be cancelled.
   */
  readonly statusOf: (key: string, at?: string) => BlockStatus;
  /** The last completed step of one of its blocks; null when there is none. */
  readonly last: (key: string, at?: string) => { id: string; output: JsonObject } | null;
}

/** The rules of one kind of container step. */
export interface Control<Kind extends ControlKind> {
  begin(
    run: DecisionBuilder,
    control: Extract<PreparedControl, { kind: Kind }>,
    path: string,
    step: PreparedStep,
  ): OpenResult;
  walk(holder: ContainerStep<Kind>): ControlStatus;
}

/** A failure of the container step itself. */
export const ownFailure = (
  { run, path }: { run: DecisionBuilder; path: string },
  code: string,
  message: string,
): ControlStatus => ({
  kind: 'failed',
  failure: { failedStepPath: path, error: { code, message }, at: run.now },
});
