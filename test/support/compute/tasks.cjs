/** Tasks for tests of the pool. Not TypeScript, as the pool's threads load this file. */
const { ComputePool, defineTask } = require('../../../dist/lib/compute');

const MODULE = '../test/support/compute/tasks.cjs';
const task = (name, run) => {
  exports[name] = defineTask(MODULE, name, run);
};

/** Returns its input. */
task('echoTask', (input) => input);

/** Never ends. */
task('endlessTask', () => {
  for (;;) Math.random();
});

/** Holds its thread for so many milliseconds without using a processor. */
task('sleepTask', (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms));

/** Takes all memory of its thread. */
task('memoryTask', () => {
  const lists = [];
  for (;;) lists.push(Array.from({ length: 100_000 }, (_unused, index) => index + 0.5));
});

task('throwTask', (message) => {
  throw new Error(message);
});

/** So many bytes. */
task('bytesTask', (n) => new Uint8Array(n));

/** A pool on these tasks. To be closed. */
exports.openTestCompute = (policy = {}) => new ComputePool({ policy, modules: [MODULE] });
