/**
 * The environment of the test files: the globals of the worker itself instead of a new set for each file, so that modules of the product,
 * which are loaded once in a worker (see runtime.cjs), and test files share Error, Array and the others. What a file changes in the globals,
 * in the environment variables and in the listeners of the process is undone after it.
 */
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

const MAX_FRAMES = 20;

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

const times = Number(process.env.PROPERTY_TIMES ?? 1);
if (times > 1) require('../properties.cjs').multiplyRuns(times);

module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #undo = [];

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // Jest's 100 make each `expect`, which takes a stack, and each error of the product expensive.
    Error.stackTraceLimit = MAX_FRAMES;
  }

  setup() {
    this.#undo = [restoreGlobals(), restoreVariables(), restoreListeners(process)];
  }

  teardown() {
    this.fakeTimersModern.dispose();
    for (const undo of this.#undo) undo();
  }

  /** Jest compiles modules only in an environment that has a context; `compileFunction` above does not use it. */
  getVmContext() {
    return {};
  }

  exportConditions() {
    return ['node', 'node-addons'];
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
