import type { StoreError } from '../store/data-file';
import type { StoreFault } from '../store/scheduler';
import type { ServerStats } from './server';

/** From the starting thread to the worker. */
export type ToWorker = { kind: 'stats'; id: number } | { kind: 'close' };

/** From the worker to the starting thread. */
export type FromWorker =
  | { kind: 'ready'; port: number | undefined }
  | { kind: 'refused'; reason: StoreError['kind']; message: string }
  | { kind: 'stats'; id: number; stats: ServerStats }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'fault'; fault: StoreFault['kind']; message: string }
  | { kind: 'closed'; fault: string | null };
