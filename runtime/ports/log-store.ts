import type { StepLine } from '../core/entries/entry';

/** A log line of an attempt of a step, redacted. */
export interface LoggedLine extends StepLine {
  readonly path: string;
  readonly attempt: number;
}

/** The size of the log of a run: batches, lines and characters. */
export interface LogSize {
  readonly n: number;
  readonly lines: number;
  readonly chars: number;
}

/** Lines that were stored together. */
export interface LogBatch {
  readonly executionId: string;
  /** The log with this batch; `n` counts from 1. */
  readonly size: LogSize;
  readonly lines: readonly LoggedLine[];
}

/** The log lines of runs, which are no part of their histories: losing some changes no run. */
export interface LogStore {
  sizeOf(executionId: string): Promise<LogSize>;
  /** False when there is a batch with this number: another host has written it. */
  append(batch: LogBatch): Promise<boolean>;
  /** The batches that hold lines after the first `lines`, in order. */
  after(executionId: string, lines: number): Promise<LogBatch[]>;
}
