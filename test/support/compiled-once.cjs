/**
 * The environment of the tests: Node's, with the code of modules compiled once in a worker instead of once for each test file. Compiling
 * was a quarter of the processor time of a small file.
 */
const { createHash } = require('node:crypto');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** Compiled code by the source that it was made from. */
const compiled = new Map();
const compile = vm.compileFunction;

vm.compileFunction = (source, params, options) => {
  const key = `${options?.filename} ${source.length} ${createHash('sha1').update(source).digest('base64')}`;
  const cachedData = compiled.get(key);
  const made = compile(source, params, { ...options, ...(cachedData ? { cachedData } : { produceCachedData: true }) });
  if (made.cachedDataRejected) compiled.delete(key);
  else if (made.cachedData) compiled.set(key, made.cachedData);
  return made;
};

module.exports = TestEnvironment;
