import { Worker } from 'node:worker_threads';
import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseLimits } from '../limits';
import type { FileMessage, FromThread } from './messages';

/** Callbacks of the pool. */
interface ThreadEvents {
  /** The thread can take a file: after its start, and after each file. */
  onFree(): void;
  /** The thread has ended; `fault` is set if it never became ready. */
  onEnded(fault: Error | null): void;
}

/** Receives the progress and the result of a file. */
interface Reader {
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
 * A worker thread that parses one file at a time. A timeout or an abort ends the thread. Keeps the process alive while it
 * parses a file.
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
    // The thread gets neither the environment of the process, which contains keys, nor its options.
    this.#worker = new Worker(entry, { resourceLimits, env: {}, argv: [], execArgv: [] });
    this.#worker.on('message', (message: FromThread) => this.#onMessage(message));
    this.#worker.on('error', (fault) => {
      this.#fault = { cause: fault };
    });
    this.#worker.once('exit', () => this.#exited());
  }

  get free(): boolean {
    return this.#state.kind === 'free';
  }

  /** Parses a file; the thread must be free. Transfers the content, so the caller cannot use it afterwards. */
  read(request: ParseRequest, reader: Reader): void {
    if (this.#state.kind !== 'free') throw new Error(`The thread is ${this.#state.kind} and cannot take a file`);
    const id = ++this.#lastId;
    const timer = setTimeout(() => {
      this.#overdue = true;
      void this.#worker.terminate();
    }, this.limits.timeoutMs);
    this.#state = { kind: 'busy', id, timer, chunks: [], reader };
    this.#worker.ref();
    const content = copyOfBytes(request.content);
    const { characters, chunks } = this.limits;
    const message: FileMessage = { id, request: { ...request, content }, bounds: { characters, chunks } };
    this.#worker.postMessage(message, [content.buffer]);
  }

  /** Ends the thread, even while it parses a file. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #onMessage(message: FromThread): void {
    if (message.kind === 'ready') return this.#becomeFree();
    if (this.#state.kind !== 'busy' || this.#state.id !== message.id) return;
    const { reader, chunks } = this.#state;
    if (message.kind === 'chunking') return reader.onChunking();
    if (message.kind === 'chunks') return void chunks.push(...message.chunks);
    const { result } = message;
    this.#settle(result.kind === 'parsed' ? { ...result, chunks } : result);
    // A file at the limits leaves much memory allocated, so the thread is replaced.
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
    this.#settle(this.#failureOnExit());
    const started = this.#state.kind !== 'starting';
    this.#state = { kind: 'ended' };
    this.events.onEnded(started ? null : new Error('A thread for parsing files cannot start', this.#fault ?? {}));
  }

  /** The result of a file whose thread was lost. */
  #failureOnExit(): ParseResult {
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

/** A view of a whole buffer, which can be transferred. Copies bytes that share their buffer with other data. */
function copyOfBytes(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = content;
  // Not `slice`: with a Buffer it returns a view of the same bytes.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return new Uint8Array(content);
}
