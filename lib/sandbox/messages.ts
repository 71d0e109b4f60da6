import type { SandboxErrorCode, SandboxLine } from './types';

/** Start data of a thread. */
export interface ThreadData {
  /** The compiled engine, shared by all threads. */
  readonly engine: WebAssembly.Module;
  /** Id of the job to stop. In shared memory, as a thread that runs a script handles no messages. */
  readonly stop: Int32Array;
}

/** A job for a thread. */
export interface JobMessage {
  /** The job's lane (see EnginePool). */
  readonly lane: string;
  readonly source: string;
  /** JSON text. */
  readonly globals: string;
  readonly timeoutMs: number;
}

/** Outcome of a script, with its value as JSON text. */
export type Ran =
  | { kind: 'value'; text: string; lines: SandboxLine[] }
  | { kind: 'error'; code: SandboxErrorCode; message: string; lines: SandboxLine[] };
