import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { MOST_BUFFER_BYTES } from '../limits';
import { parseFile } from '../parse';
import { boundBuffers } from './buffers';
import { CHUNKS_PER_MESSAGE, type FileMessage, type FromThread } from './messages';

/** What answers requests goes first. Less than this would let files run out of their time on a machine that has much else to do. */
const NICENESS = 5;

/** The thread in which files are read, one at a time. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const send = (message: FromThread): void => port.postMessage(message);
  // On Linux this is a matter of the thread; elsewhere it would be one of the process.
  if (platform() === 'linux') setPriority(NICENESS);
  boundBuffers(MOST_BUFFER_BYTES);
  // What pdf.js has begun of a page that is damaged may fail when nobody waits for it any more.
  process.on('unhandledRejection', () => undefined);

  const read = async ({ id, request, bounds }: FileMessage): Promise<void> => {
    const result = await parseFile(request, bounds, () => send({ kind: 'chunking', id }));
    if (result.kind === 'failed') return send({ kind: 'done', id, result });
    for (let at = 0; at < result.chunks.length; at += CHUNKS_PER_MESSAGE)
      send({ kind: 'chunks', id, chunks: result.chunks.slice(at, at + CHUNKS_PER_MESSAGE) });
    send({ kind: 'done', id, result: { ...result, chunks: [] } });
  };
  port.on('message', (message: FileMessage) => void read(message));
  send({ kind: 'ready' });
}

main();
