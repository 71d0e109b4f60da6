/**
 * Formats of what is on record of a run: its plan, the entries of its journal, its document. One number for all three. It
 * grows when a version writes what the one before would misread; a run that is stored without one has the first.
 *
 *  F1  A host takes only runs whose format it reads, and leaves the others to hosts that are newer.
 *  F2  A host that takes a run marks it with the format that it writes, before it writes anything.
 *  F3  A version writes what the version before it reads. So a new format is read by one version and written by the
 *      next; then two versions work side by side, and a roll-out can be taken back.
 */
export interface RunFormats {
  /** The newest that is read; all before it are. */
  readonly reads: number;
  /** What is written, at most `reads`. */
  readonly writes: number;
}

/** The format of runs that say none. */
export const FIRST_FORMAT = 1;

/** Those of this version. */
export const RUN_FORMATS: RunFormats = { reads: FIRST_FORMAT, writes: FIRST_FORMAT };
