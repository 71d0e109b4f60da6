import type { PreparedControl, PreparedStep } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import type { StepError } from '../../../nodes/contract';
import type { Opening } from '../../record/entry';
import type { OpenedStep } from '../../record/state';
import type { Failure } from '../failure';
import type { Turn } from '../turn';

/** How a block stands after what could begin in it has begun. */
export type Walked = { kind: 'open' } | { kind: 'done' } | { kind: 'failed'; failure: Failure };

export const OPEN = { kind: 'open' } as const;
export const DONE = { kind: 'done' } as const;

/** How a step stands that holds others: what it puts out comes with its end. */
export type Held = Exclude<Walked, { kind: 'done' }> | { kind: 'done'; output: JsonObject };

/** What a step that holds others begins with, or why it cannot. */
export type Begun = { kind: 'opened'; opening: Opening } | { kind: 'refused'; error: StepError };

export type ControlKind = PreparedControl['kind'];

/** A step that holds others and is under way, as the rules of its kind see it. */
export interface Holder<Kind extends ControlKind> {
  readonly run: Turn;
  readonly path: string;
  readonly step: PreparedStep;
  readonly control: Extract<PreparedControl, { kind: Kind }>;
  readonly opened: OpenedStep;
  readonly opening: Extract<Opening, { kind: Kind }>;
  /** Goes on with one of its blocks; `at`: where that stands in the run, if not right below the step. */
  readonly walk: (key: string, at?: string) => Walked;
  /**
   * How one of its blocks stands, before it goes on. What the failure or the end of one block has decided stays decided
   * while the `finally` of another has its turn, and nothing begins that is to be cancelled.
   */
  readonly standing: (key: string, at?: string) => Walked;
  /** The last step of one of its blocks that has completed; null when none has. */
  readonly last: (key: string, at?: string) => { id: string; output: JsonObject } | null;
}

/** The rules of one kind of step that holds others. */
export interface Control<Kind extends ControlKind> {
  begin(run: Turn, control: Extract<PreparedControl, { kind: Kind }>, path: string, step: PreparedStep): Begun;
  walk(holder: Holder<Kind>): Held;
}

/** A failure that is nobody's but the step's own. */
export const ownFailure = ({ run, path }: { run: Turn; path: string }, code: string, message: string): Held => ({
  kind: 'failed',
  failure: { culprit: path, error: { code, message }, at: run.now },
});
