import type { Json, JsonObject } from '../json';

/** A line of a script's console output. */
export interface SandboxLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
}

/**
 * Why a script has no value. Caused by the script: `script_error` (it threw, or is invalid JavaScript), `timed_out`,
 * `out_of_memory`, `too_deep` (recursion), `result_too_large`, `result_invalid` (not JSON), `input_too_large`. Caused
 * by the sandbox: `overloaded` (too many queued), `crashed`.
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

/** A script and its input. */
export interface SandboxJob {
  /** Body of an async function. */
  source: string;
  /** Global names of the script, by value. */
  globals: JsonObject;
  /** Counted from the start, without queueing. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** Runs user JavaScript in isolation. */
export interface Sandbox {
  /** Everything the script does becomes a result. @throws SandboxAborted as soon as the signal aborts */
  run(job: SandboxJob): Promise<SandboxResult>;
}

/** The signal aborted before there was a result. */
export class SandboxAborted extends Error {
  readonly type = 'aborted';
}
