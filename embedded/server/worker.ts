import { parentPort, workerData } from 'node:worker_threads';
import { shrinkWhenIdle } from '../../lib/idle-memory';
import { StoreError } from '../store/data-file';
import type { FromWorker, ToWorker } from './messages';
import { type RunningServer, type ServerOptions, startServer } from './server';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The server's thread: queries never block the application's event loop. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const send = (message: FromWorker): void => port.postMessage(message);
  let server: RunningServer;
  try {
    server = await startServer(workerData as ServerOptions, ({ kind, error }) =>
      send({ kind: 'fault', fault: kind, message: error.message }),
    );
  } catch (error) {
    const reason = error instanceof StoreError ? error.kind : 'refused';
    send({ kind: 'refused', reason, message: textOf(error) });
    port.close();
    return;
  }
  port.on('message', (message: ToWorker) => {
    if (message.kind === 'stats') return send(answerStats(server, message.id));
    void server
      .close()
      .then(() => null, textOf)
      .then((fault) => {
        send({ kind: 'closed', fault });
        port.close();
      });
  });
  send({ kind: 'ready', port: server.port });
  shrinkWhenIdle();
}

function answerStats(server: RunningServer, id: number): FromWorker {
  try {
    return { kind: 'stats', id, stats: server.stats() };
  } catch (error) {
    return { kind: 'failed', id, message: textOf(error) };
  }
}

void main();
