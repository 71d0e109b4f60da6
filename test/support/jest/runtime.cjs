/**
 * Loads packages and modules of the product as Node does, once in a worker instead of once for each test file: running all modules again
 * for each was a third of the processor time of the tests. Jest loads the test files and their support.
 */
const { createRequire, isBuiltin } = require('node:module');
const { default: Runtime } = require('jest-runtime');
const { builtFile } = require('../built.cjs');

module.exports = class extends Runtime {
  requireModule(from, name, options, isRequireActual) {
    const isOfJest = options?.isInternalModule === true || name === undefined;
    const file = isOfJest ? undefined : nativeName(from, name);
    return file === undefined ? super.requireModule(from, name, options, isRequireActual) : createRequire(from)(file);
  }
};
module.exports.default = module.exports;

/** What Node loads; undefined is for Jest. */
const nativeName = (from, name) =>
  isBuiltin(name) || !/^[./]/.test(name) || from.includes('/node_modules/') ? name : builtFile(from, name);
