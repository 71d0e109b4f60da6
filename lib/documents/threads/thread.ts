import { type JobLost, type ThreadEvents, WorkerThread } from '../../threads/thread';
import type { Chunk, ParseRequest, ParseResult } from '../contract';
import type { ParseLimits } from '../limits';
import type { FileMessage, FileProgress } from './messages';

/** Receives the progress and the result of a file. */
interface Reader {
  onChunking(): void;
  settle(result: ParseResult): void;
}

const YOUNG_MIB = 32;
const STACK_MIB = 4;

/** A worker thread that parses one file at a time. A timeout or an abort ends the thread. */
export class Thread {
  readonly #thread: WorkerThread<FileMessage, FileProgress, ParseResult>;

  constructor(
    entry: string,
    private readonly limits: ParseLimits,
    events: ThreadEvents,
  ) {
    const resourceLimits = {
      maxOldGenerationSizeMb: limits.heapMiB,
      maxYoungGenerationSizeMb: YOUNG_MIB,
      stackSizeMb: STACK_MIB,
    };
    this.#thread = new WorkerThread({ entry, resourceLimits }, events);
  }

  get free(): boolean {
    return this.#thread.isFree;
  }

  /** Parses a file; the thread must be free. Transfers the content, so the caller cannot use it afterwards. */
  read(request: ParseRequest, reader: Reader): void {
    const content = copyOfBytes(request.content);
    const { characters, chunks: maxChunks, timeoutMs } = this.limits;
    const chunks: Chunk[] = [];
    this.#thread.run({
      message: { request: { ...request, content }, bounds: { characters, chunks: maxChunks } },
      transfer: [content.buffer],
      timeoutMs,
      onProgress: (progress) => {
        if (progress.kind === 'chunking') reader.onChunking();
        else chunks.push(...progress.chunks);
      },
      onDone: (result) => {
        // A file at the limits leaves much memory allocated, so the thread is replaced.
        if (result.kind === 'failed' && result.code === 'too_complex') void this.end();
        reader.settle(result.kind === 'parsed' ? { ...result, chunks } : result);
      },
      onLost: (lost) => reader.settle(failureOf(lost, timeoutMs)),
    });
  }

  /** Ends the thread, even while it parses a file. */
  end(): Promise<void> {
    return this.#thread.end();
  }
}

/** The result of a file whose thread was lost. */
function failureOf({ kind }: JobLost, timeoutMs: number): ParseResult {
  switch (kind) {
    case 'timed_out': {
      const seconds = Math.ceil(timeoutMs / 1_000);
      const message = `Reading the file took longer than ${seconds} s. Split it, or save it in a simpler form.`;
      return { kind: 'failed', code: 'timed_out', message };
    }
    case 'out_of_memory': {
      const message = 'The file takes more memory than one file may have. Split it, or save it in a simpler form.';
      return { kind: 'failed', code: 'too_complex', message };
    }
    case 'crashed': {
      const message = 'The file broke the program that reads it. Save it again with the program it comes from.';
      return { kind: 'failed', code: 'broken_file', message };
    }
  }
}

/** A view of a whole buffer, which can be transferred. Copies bytes that share their buffer with other data. */
function copyOfBytes(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = content;
  // Not `slice`: with a Buffer it returns a view of the same bytes.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) return new Uint8Array(buffer);
  return new Uint8Array(content);
}
