import type { SandboxErrorCode, SandboxLine } from './types';

/** What a thread is made with. */
export interface ThreadData {
  /** The compiled engine: compiled once in the process, shared by all its threads. */
  readonly engine: WebAssembly.Module;
  /** Holds the id of the job that is to stop. Shared, as a thread that runs a script hears no messages. */
  readonly stop: Int32Array;
}

/** A job as it goes to a thread. */
export interface JobMessage {
  readonly id: number;
  /** Whose job it is (see Shelf). */
  readonly lane: string;
  readonly source: string;
  /** JSON text. */
  readonly globals: string;
  readonly timeoutMs: number;
}

/** What a script came to, with its value as JSON text. */
export type Ran =
  | { kind: 'value'; text: string; lines: SandboxLine[] }
  | { kind: 'error'; code: SandboxErrorCode; message: string; lines: SandboxLine[] };

export type FromThread = { kind: 'ready' } | { kind: 'done'; id: number; ran: Ran };
