import { Worker } from 'node:worker_threads';
import { type Answered, type Asked, type CallName, EngineLost, type IndexEngine } from './calls';
import type { FromThread, ToThread } from './messages';

interface Waiting {
  resolve(answer: unknown): void;
  reject(fault: unknown): void;
}

/** Objects of the thread are small; texts of a large document on their way in are the most of it. Vectors are not in this heap. */
const RESOURCES = { maxOldGenerationSizeMb: 1024 };

/** An engine in a worker thread. It keeps the process alive only while somebody waits for it. */
export class EngineThread implements IndexEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: Error | null = null;

  /** `entry`: the compiled worker. `onLost` is called once, when the thread has died unasked. */
  constructor(entry: string, onLost: (fault: Error) => void) {
    // Nothing of the process's surroundings: neither its environment, where keys are, nor its options.
    this.#worker = new Worker(entry, { env: {}, argv: [], execArgv: [], resourceLimits: RESOURCES });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (fault) => this.#end(fault, onLost));
    this.#worker.on('exit', (code) => this.#end(new Error(`it ended with code ${code}`), onLost));
  }

  ask<K extends CallName>(call: K, asked: Asked<K>, signal?: AbortSignal): Promise<Answered<K>> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#forget(id);
        this.#send({ kind: 'abandon', id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      const done = (): void => {
        this.#forget(id);
        signal?.removeEventListener('abort', abort);
      };
      this.#waiting.set(id, {
        resolve: (answer) => {
          done();
          // The thread answers each call with what the call answers.
          resolve(answer as Answered<K>);
        },
        reject: (fault) => {
          done();
          reject(fault);
        },
      });
      this.#worker.ref();
      this.#send({ kind: 'ask', id, call, asked }, call === 'load' ? movable(asked as Asked<'load'>) : []);
    });
  }

  async close(): Promise<void> {
    this.#end(new Error('the index is closed'), () => undefined);
    await this.#worker.terminate();
  }

  #send(message: ToThread, moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved);
  }

  #hear(message: FromThread): void {
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.answer);
    else waiting?.reject(new Error(message.message));
  }

  #forget(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #end(fault: unknown, onLost: (fault: Error) => void): void {
    if (this.#ended !== null) return;
    const why = fault instanceof Error ? fault : new Error(String(fault));
    this.#ended = new EngineLost(`The thread that searches is gone: ${why.message}`, { cause: why });
    for (const waiting of [...this.#waiting.values()]) waiting.reject(this.#ended);
    onLost(this.#ended);
  }
}

const movable = ({ table, data }: Asked<'load'>): ArrayBuffer[] => [table.buffer, data.buffer];
