import type { Json, JsonObject } from '../json';

/** What a script wrote to its console. */
export interface SandboxLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

/**
 * Why a script gave no value. Of the script: `script_error` (it threw, or is no JavaScript), `timed_out`,
 * `out_of_memory`, `too_deep` (recursion), `result_too_large`, `result_invalid` (no JSON), `input_too_large`.
 * Of the sandbox: `overloaded` (too many wait), `crashed`.
 */
export type SandboxErrorCode =
  | 'script_error'
  | 'timed_out'
  | 'out_of_memory'
  | 'too_deep'
  | 'result_too_large'
  | 'result_invalid'
  | 'input_too_large'
  | 'overloaded'
  | 'crashed';

export type SandboxResult =
  | { kind: 'value'; value: Json; lines: SandboxLine[] }
  | { kind: 'error'; code: SandboxErrorCode; message: string; lines: SandboxLine[] };

/** A script and what it sees. */
export interface SandboxJob {
  /** Body of an async function. */
  source: string;
  /** Names that the script finds defined, by value. */
  globals: JsonObject;
  /** From its beginning; time spent in the queue does not count. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Runs JavaScript of users apart from everything else. */
export interface Sandbox {
  /** Whatever the script does becomes a result. @throws SandboxAborted when the signal aborts, and at once */
  run(job: SandboxJob): Promise<SandboxResult>;
}

/** The job's signal aborted before there was a result. */
export class SandboxAborted extends Error {
  readonly type = 'aborted';
}
