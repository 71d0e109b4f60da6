import type { Gathering } from '../core/decide/gathering';
import type { Claim, Execution } from '../core/model';

/** A run that gathers starts, or did, without its trigger. */
export interface GatheringRun {
  /** Null: the run stands for one start. */
  readonly gathering: Gathering | null;
  /** It will not begin: it has ended, or is about to. */
  readonly isEnding: boolean;
}

/** The run of a start. */
export interface StartMark {
  readonly run: string;
  /** A hash of what a repeat of the start must have; null: of nothing. */
  readonly digest: string | null;
}

/** Members of a run that the last start of a debounce replaces. */
export type ReplacedMembers = Pick<
  Execution,
  'trigger' | 'inputKey' | 'triggerType' | 'planHash' | 'workflowName' | 'env' | 'labels' | 'warnings' | 'requestId'
>;

/** The runs that gather starts, one open run for each slot, and the run of each start. Each method is one write. */
export interface GatheringStore {
  /** The last run of a slot; null when none is known. It may not be stored yet. */
  current(slot: string): Promise<string | null>;
  /** Makes `next` the run of a slot, if it is still `before`. */
  advance(slot: string, before: string | null, next: string, until: number): Promise<boolean>;
  /** Stores the run of a start unless one is stored; returns what is stored then. */
  mark(startId: string, mark: StartMark, until: number): Promise<StartMark>;
  /** Changes the run of a start, if it is still `before`. */
  move(startId: string, before: string, next: string): Promise<void>;
  /** Null when the run is not stored. */
  find(executionId: string): Promise<GatheringRun | null>;
  /**
   * Adds a start to an open run that is not ending and still has one start less. `event`: the trigger of a start of a
   * batch; else the members that are replaced. A run that no host owns is due when it begins.
   */
  add(
    executionId: string,
    after: Gathering,
    start: { readonly event: Execution['trigger'] } | { readonly members: ReplacedMembers },
  ): Promise<boolean>;
  /** The run takes no more starts. `beginsAt`: when it begins, if that is earlier. */
  seal(executionId: string, beginsAt: number): Promise<void>;
  /** Makes a claimed run one that has begun, if it still has as many starts; false when it was not changed. */
  begin(claim: Claim, run: Execution & { readonly gathering: Gathering }): Promise<boolean>;
}
