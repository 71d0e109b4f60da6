import { Worker } from 'node:worker_threads';
import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseLimits } from '../limits';
import type { FileMessage, FromThread } from './messages';

/** What a thread tells its pool. */
export interface ThreadEvents {
  /** It can take a file: at first, and after each. */
  onFree(): void;
  /** It is no more; `fault` says why when it never could take a file. */
  onEnded(fault: Error | null): void;
}

/** Who waits for what a file comes to. */
export interface Reader {
  onChunking(): void;
  settle(result: ParseResult): void;
}

type State =
  | { kind: 'starting' }
  | { kind: 'free' }
  | { kind: 'busy'; id: number; timer: NodeJS.Timeout; chunks: Chunk[]; reader: Reader }
  | { kind: 'ended' };

const YOUNG_MIB = 32;
const STACK_MIB = 4;

/**
 * A worker thread that reads files, one at a time. A file that takes too long ends with its thread, and so does one that
 * nobody waits for any more. Keeps the process alive but while it is free.
 */
export class Thread {
  #state: State = { kind: 'starting' };
  #fault: { readonly cause: unknown } | null = null;
  #overdue = false;
  #lastId = 0;
  readonly #worker: Worker;

  constructor(
    entry: string,
    private readonly limits: ParseLimits,
    private readonly events: ThreadEvents,
  ) {
    const resourceLimits = {
      maxOldGenerationSizeMb: limits.heapMiB,
      maxYoungGenerationSizeMb: YOUNG_MIB,
      stackSizeMb: STACK_MIB,
    };
    // Nothing of the process's surroundings: neither its environment, where keys are, nor its options.
    this.#worker = new Worker(entry, { resourceLimits, env: {}, argv: [], execArgv: [] });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (fault) => {
      this.#fault = { cause: fault };
    });
    this.#worker.once('exit', () => this.#exited());
  }

  get free(): boolean {
    return this.#state.kind === 'free';
  }

  /** Reads a file. Only while the thread is free. The content is handed over: the caller has it no more. */
  read(request: ParseRequest, reader: Reader): void {
    if (this.#state.kind !== 'free') throw new Error(`A thread that is ${this.#state.kind} takes no file`);
    const id = ++this.#lastId;
    const timer = setTimeout(() => {
      this.#overdue = true;
      void this.#worker.terminate();
    }, this.limits.timeoutMs);
    this.#state = { kind: 'busy', id, timer, chunks: [], reader };
    this.#worker.ref();
    const content = ownBytes(request.content);
    const { characters, chunks } = this.limits;
    const message: FileMessage = { id, request: { ...request, content }, bounds: { characters, chunks } };
    this.#worker.postMessage(message, [content.buffer]);
  }

  /** Ends it, whatever it does. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #hear(message: FromThread): void {
    if (message.kind === 'ready') return this.#becomeFree();
    if (this.#state.kind !== 'busy' || this.#state.id !== message.id) return;
    const { reader, chunks } = this.#state;
    if (message.kind === 'chunking') return reader.onChunking();
    if (message.kind === 'chunks') return void chunks.push(...message.chunks);
    const { result } = message;
    this.#settle(result.kind === 'parsed' ? { ...result, chunks } : result);
    // One that came to its limits has much in memory that the next file does not need.
    if (result.kind === 'failed' && result.code === 'too_complex') return this.#retire();
    this.#becomeFree();
  }

  #retire(): void {
    this.#state = { kind: 'ended' };
    void this.#worker.terminate();
  }

  #becomeFree(): void {
    this.#state = { kind: 'free' };
    this.#worker.unref();
    this.events.onFree();
  }

  #settle(result: ParseResult): void {
    if (this.#state.kind !== 'busy') return;
    clearTimeout(this.#state.timer);
    this.#state.reader.settle(result);
  }

  #exited(): void {
    this.#settle(this.#lastWords());
    const started = this.#state.kind !== 'starting';
    this.#state = { kind: 'ended' };
    this.events.onEnded(started ? null : new Error('A thread that reads files does not start', this.#fault ?? {}));
  }

  /** What became of a file whose thread is gone. */
  #lastWords(): ParseResult {
    if (this.#overdue) {
      const seconds = Math.ceil(this.limits.timeoutMs / 1_000);
      const message = `Reading the file took longer than ${seconds} s. Split it, or save it in a simpler form.`;
      return { kind: 'failed', code: 'timed_out', message };
    }
    if (errorCode(this.#fault?.cause) === 'ERR_WORKER_OUT_OF_MEMORY') {
      const message = 'The file takes more memory than one file may have. Split it, or save it in a simpler form.';
      return { kind: 'failed', code: 'too_complex', message };
    }
    const message = 'The file broke the program that reads it. Save it again with the program it comes from.';
    return { kind: 'failed', code: 'broken_file', message };
  }
}

const errorCode = (fault: unknown): unknown =>
  typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : null;

/** Bytes that are alone in their buffer, which can be handed over; others share it with whatever the process has there. */
function ownBytes(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = content;
  // `new Uint8Array` and not `slice`, by which a Buffer would go on sharing its bytes.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return new Uint8Array(content);
}
