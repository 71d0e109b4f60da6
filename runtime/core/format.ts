/**
 * Version of the stored formats of a run: plan, journal entries and document share one number. It grows when a version
 * writes something that the previous version would misread. A run stored without one has the first.
 *
 *  F1  A host claims only runs whose format it can read.
 *  F2  A host that claims a run marks it with the format that it writes, before it writes anything else.
 *  F3  A version writes what the previous version can read. A new format is first readable, and written one version
 *      later; so two versions can run side by side, and a rollout can be reverted.
 */
export interface RunFormats {
  /** The newest readable format; all older ones are readable too. */
  readonly reads: number;
  /** The format that is written, at most `reads`. */
  readonly writes: number;
}

/** The format of runs stored without one. */
export const FIRST_FORMAT = 1;

/**
 * A run that was paused at least once is marked with this format by the request, whatever the format that hosts write:
 * versions that do not know pauses would continue it, and cannot read its history.
 */
export const PAUSE_FORMAT = 2;

/**
 * A run that gathers several starts is stored with this format: versions that do not know such runs would begin it before its
 * time, without the triggers of its batch.
 */
export const GATHERING_FORMAT = 3;

/**
 * A run with a step that uses a connection with limits is marked with this format before the step asks for it: versions that do
 * not know the wait would take it for one that has timed out.
 */
export const CONNECTION_FORMAT = 4;

/** The formats of this version. */
export const RUN_FORMATS: RunFormats = { reads: CONNECTION_FORMAT, writes: FIRST_FORMAT };
