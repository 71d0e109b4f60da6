/**
 * The environment of the test files: the globals of the worker itself instead of a new set for each file, so that modules of the product,
 * which are loaded once in a worker (see runtime.cjs), and test files share Error, Array and the others. What a file changes in the globals,
 * in the environment variables and in the listeners of the process is undone after it.
 */
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** By file name: the source, and the code that was made from it. Compiling was a quarter of the processor time of a small file. */
const compiled = new Map();
const compile = vm.compileFunction;

vm.compileFunction = (source, params, { parsingContext: _, ...options }) => {
  const earlier = compiled.get(options.filename);
  if (earlier?.source === source) {
    const made = compile(source, params, { ...options, cachedData: earlier.cachedData });
    if (!made.cachedDataRejected) return made;
  }
  const made = compile(source, params, { ...options, produceCachedData: true });
  if (made.cachedData) compiled.set(options.filename, { source, cachedData: made.cachedData });
  return made;
};

module.exports = class extends TestEnvironment {
  #undo = [];

  constructor(config, context) {
    super(config, context);
    this.global = globalThis;
    const { ModuleMocker } = require('jest-mock');
    const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
    const { projectConfig } = config;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    this.#undo = [restoreGlobals(), restoreVariables(), restoreListeners(process)];
  }

  async teardown() {
    await super.teardown();
    for (const undo of this.#undo) undo();
  }
};

/** Jest keeps the state of a file under symbols. What packages define by name stays, as they are loaded only once. */
function restoreGlobals() {
  const { console } = globalThis;
  const before = new Set(Object.getOwnPropertySymbols(globalThis));
  return () => {
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) if (!before.has(symbol)) delete globalThis[symbol];
    globalThis.console = console;
  };
}

function restoreVariables() {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

function restoreListeners(emitter) {
  const before = new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
  return () => {
    for (const name of emitter.eventNames()) {
      for (const listener of emitter.rawListeners(name)) {
        if (!before.get(name)?.includes(listener)) emitter.removeListener(name, listener);
      }
    }
  };
}
