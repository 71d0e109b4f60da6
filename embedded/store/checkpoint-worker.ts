import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '../../lib/sqlite';
import type { CheckpointRequest, CheckpointResult, CheckpointWorkerData } from './checkpointer';

/** The thread that moves the log into the data file, with a connection of its own that reads and writes nothing else. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread');
  const { file, sync } = workerData as CheckpointWorkerData;
  const db = new DatabaseSync(file);
  // The log is on disk before the file is changed, and the file before the log may be overwritten.
  db.exec(`PRAGMA synchronous = ${sync ? 'FULL' : 'OFF'}; PRAGMA cache_size = -256`);
  port.on('message', (request: CheckpointRequest) => {
    if (request === 'close') {
      db.close();
      port.close();
    } else port.postMessage(checkpoint(db));
  });
}

function checkpoint(db: DatabaseSync): CheckpointResult {
  try {
    const { log } = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as { log: number };
    return { kind: 'done', logPages: log };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

main();
