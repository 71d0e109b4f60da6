/**
 * The environment of the tests: Node's, with the code of modules compiled once in a worker instead of once for each test file. Compiling
 * was a quarter of the processor time of a small file.
 */
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** By file name: the source, and the code that was made from it. */
const compiled = new Map();
const compile = vm.compileFunction;

vm.compileFunction = (source, params, options) => {
  const earlier = compiled.get(options?.filename);
  if (earlier?.source === source) {
    const made = compile(source, params, { ...options, cachedData: earlier.cachedData });
    if (!made.cachedDataRejected) return made;
  }
  const made = compile(source, params, { ...options, produceCachedData: true });
  if (made.cachedData) compiled.set(options?.filename, { source, cachedData: made.cachedData });
  return made;
};

module.exports = TestEnvironment;
