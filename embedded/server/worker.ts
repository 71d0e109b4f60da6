import { parentPort, workerData } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages';
import { type ServerOptions, startServer } from './server';

/** The thread in which the server lives, so that no query ever holds up the application's event loop. */
async function main(): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const send = (message: FromWorker): void => port.postMessage(message);
  try {
    const server = await startServer(workerData as ServerOptions, ({ kind, error }) =>
      send({ kind: 'trouble', trouble: kind, message: error.message }),
    );
    port.on('message', (message: ToWorker) => {
      if (message.kind === 'stats') return send({ kind: 'stats', id: message.id, stats: server.stats() });
      void server.close().then(() => {
        send({ kind: 'closed' });
        port.close();
      });
    });
    send({ kind: 'ready', port: server.port });
  } catch (error) {
    send({ kind: 'refused', message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

void main();
