import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StoreError } from '../store/data-file';
import type { StoreFault } from '../store/scheduler';
import type { FromWorker, ToWorker } from './messages';
import type { ServerOptions, ServerStats } from './server';

/** A server in a worker thread. */
export interface HostedServer {
  readonly port: number | undefined;
  stats(): Promise<ServerStats>;
  close(): Promise<void>;
}

/** Many short-lived buffers and few long-lived objects: a small young generation keeps the thread's memory low. */
const HEAP = { maxYoungGenerationSizeMb: 12 };

/**
 * Starts the worker and waits until it listens. An unexpected exit is reported as closed.
 * @throws Error with the worker's reason when the store cannot be opened
 */
export function hostServer(options: ServerOptions, report: (fault: StoreFault) => void): Promise<HostedServer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(__dirname, 'worker.js'), { workerData: options, resourceLimits: HEAP });
    const waiting = new Map<number, { resolve(stats: ServerStats): void; reject(error: Error): void }>();
    let state: 'starting' | 'running' | 'closing' | 'ended' = 'starting';
    let nextId = 1;
    let closeFault: string | null = null;
    const send = (message: ToWorker): void => worker.postMessage(message);
    const ended = new Promise<void>((done) => worker.once('exit', () => done()));
    const die = (error: Error): void => {
      for (const each of waiting.values()) each.reject(error);
      waiting.clear();
      if (state === 'starting') reject(error);
      else if (state === 'running') report({ kind: 'closed', error });
      state = 'ended';
    };
    worker.on('error', (error) => die(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', (code) => die(new Error(`the document server's thread ended with code ${code}`)));
    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'ready':
          state = 'running';
          return resolve({
            port: message.port,
            stats: () =>
              new Promise((answer, fail) => {
                if (state !== 'running') return fail(new Error('the document server is closed'));
                const id = nextId++;
                waiting.set(id, { resolve: answer, reject: fail });
                send({ kind: 'stats', id });
              }),
            close: async () => {
              if (state === 'running') {
                state = 'closing';
                send({ kind: 'close' });
              }
              await ended;
              if (closeFault !== null) throw new StoreError('refused', closeFault);
            },
          });
        case 'refused':
          return die(new StoreError(message.reason, message.message));
        case 'stats':
          waiting.get(message.id)?.resolve(message.stats);
          waiting.delete(message.id);
          return;
        case 'failed':
          waiting.get(message.id)?.reject(new StoreError('refused', message.message));
          waiting.delete(message.id);
          return;
        case 'fault':
          return report({ kind: message.fault, error: new StoreError('refused', message.message) });
        case 'closed':
          closeFault = message.fault;
          return;
      }
    });
  });
}
