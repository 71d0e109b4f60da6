import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { ownStatistics } from '../../threads/scheduler-statistics';
import type { ToThread } from '../../threads/thread';
import { MAX_BUFFER_BYTES } from '../limits';
import { parseFile } from '../parse';
import { CHUNKS_PER_MESSAGE, type FileMessage, type FileProgress, type FromReader } from './messages';

/** Smaller arrays are not checked. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Limits the memory of typed arrays in this thread. The heap limit does not count them, and pdf.js decompresses a PDF
 * stream into an array that it doubles until the stream ends. An allocation over the limit throws a RangeError, like one
 * that fails for lack of memory. Removes `DecompressionStream`, whose memory is not counted here, so that pdf.js
 * decompresses in JavaScript.
 */
function boundBuffers(maxBytes: number): void {
  const bounded: Uint8ArrayConstructor = new Proxy(Uint8Array, {
    construct(target, args: [unknown?, ...unknown[]], newTarget) {
      const [length] = args;
      if (typeof length === 'number' && length >= LARGE_BYTES) assertRoom(length, maxBytes);
      return Reflect.construct(target, args, newTarget === bounded ? target : newTarget) as object;
    },
  });
  globalThis.Uint8Array = bounded;
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
}

function assertRoom(length: number, maxBytes: number): void {
  if (process.memoryUsage().arrayBuffers + length > maxBytes)
    throw new RangeError(`Array buffer allocation failed: more than ${maxBytes} bytes`);
}

/** Requests have priority over files. */
const NICENESS = 5;

/** The entry of the thread: parses one file at a time. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const send = (message: FromReader): void => port.postMessage(message);
  // Linux sets the priority of the thread, other systems that of the process.
  if (platform() === 'linux') setPriority(NICENESS);
  boundBuffers(MAX_BUFFER_BYTES);
  // On a damaged page, pdf.js may reject a promise that has no handler.
  process.on('unhandledRejection', () => undefined);

  const read = async ({ id, message: { request, bounds } }: ToThread<FileMessage>): Promise<void> => {
    const tell = (progress: FileProgress): void => send({ kind: 'progress', id, progress });
    const result = await parseFile(request, bounds, () => tell({ kind: 'chunking' }));
    if (result.kind === 'failed') return send({ kind: 'done', id, result });
    for (let at = 0; at < result.chunks.length; at += CHUNKS_PER_MESSAGE)
      tell({ kind: 'chunks', chunks: result.chunks.slice(at, at + CHUNKS_PER_MESSAGE) });
    send({ kind: 'done', id, result: { ...result, chunks: [] } });
  };
  port.on('message', (message: ToThread<FileMessage>) => void read(message));
  send({ kind: 'ready', statistics: ownStatistics() });
}

main();
