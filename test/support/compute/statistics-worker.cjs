/**
 * A worker thread whose statistics are a file, in which all its time is time of waiting for a processor. After each result it
 * makes the file `.done` beside it.
 */
const { renameSync, writeFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

// At once: the reader must not find an empty file.
const write = () => {
  writeFileSync(`${workerData}.new`, `0 ${performance.now() * 1e6} 1\n`);
  renameSync(`${workerData}.new`, workerData);
};

parentPort.on('message', ({ id, message: ms }) => {
  for (const end = performance.now() + ms; performance.now() < end; write()) sleep(10);
  parentPort.postMessage({ kind: 'done', id, result: 'done' });
  writeFileSync(`${workerData}.done`, '');
});
write();
parentPort.postMessage({ kind: 'ready', statistics: workerData });
