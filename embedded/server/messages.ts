import type { Trouble } from '../store/scheduler';
import type { ServerStats } from './server';

/** From the starting thread to the worker. */
export type ToWorker = { kind: 'stats'; id: number } | { kind: 'close' };

/** From the worker to the starting thread. */
export type FromWorker =
  | { kind: 'ready'; port: number | undefined }
  | { kind: 'refused'; message: string }
  | { kind: 'stats'; id: number; stats: ServerStats }
  | { kind: 'trouble'; trouble: Trouble['kind']; message: string }
  | { kind: 'closed' };
