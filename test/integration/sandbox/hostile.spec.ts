import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../../lib/json';
import { type Sandbox, type SandboxResult, SandboxPool } from '../../../lib/sandbox';
import { HOSTILE_SCRIPTS } from './hostile-scripts';

const LIMIT_MS = 300;
/** What a busy machine may add to the limit and the grace before a result is seen. */
const TOLERANCE_MS = 5_000;

/** The names of the language that the engine speaks. */
const LANGUAGE = `
  AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
  SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray
  WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
  parseFloat parseInt undefined unescape`
  .trim()
  .split(/\s+/);

let pool: SandboxPool;

beforeAll(async () => {
  pool = new SandboxPool({ policy: { warm: 2, max: 2 } });
  await Promise.all([run(pool.lane('hostile'), 'return 1'), run(pool.lane('polite'), 'return 1')]);
});

afterAll(() => pool.close());

const run = (box: Sandbox, source: string, globals: JsonObject = {}, timeoutMs = LIMIT_MS): Promise<SandboxResult> =>
  box.run({ source, globals, timeoutMs, signal: new AbortController().signal });

describe('a hostile script', () => {
  it.each(HOSTILE_SCRIPTS)('$title: ends in its bounds, and others go on', async ({ source, codes = [], value }) => {
    const began = performance.now();
    const hostile = run(pool.lane('hostile'), source);
    const polite = await run(pool.lane('polite'), 'return input * 2', { input: 21 }, TOLERANCE_MS);
    expect(polite).toEqual({ kind: 'value', value: 42, lines: [] });
    const result = await hostile;
    expect(performance.now() - began).toBeLessThan(LIMIT_MS + TOLERANCE_MS);
    if (result.kind === 'error') expect(codes).toContain(result.code);
    else expect(result.value).toEqual(value);
  });

  it('finds only the language, the console and its input', async () => {
    const source = `
      const seen = new Set();
      const names = [];
      const walk = (object, path) => {
        if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) return;
        seen.add(object);
        names.push(path);
        for (const key of Reflect.ownKeys(object)) {
          const { value, get } = Reflect.getOwnPropertyDescriptor(object, key);
          walk(value, path + '.' + String(key));
          walk(get, path + '.' + String(key));
        }
        walk(Object.getPrototypeOf(object), path + '.[[Prototype]]');
      };
      walk(globalThis, 'global');
      return { top: Object.getOwnPropertyNames(globalThis), all: names };`;
    const result = await run(pool.lane('hostile'), source, { input: 1 }, TOLERANCE_MS);
    const { top, all } = (result as unknown as { value: { top: string[]; all: string[] } }).value;
    expect(top.sort()).toEqual([...LANGUAGE, 'console', 'input'].sort());
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter((path) => /process|require|module|quickjs|guest|host|wasm/i.test(path))).toEqual([]);
  });

  it('leaves nothing behind for the next one of its lane', async () => {
    const box = pool.lane('hostile');
    await run(
      box,
      `globalThis.left = 1; Object.prototype.polluted = 1; JSON.stringify = () => '"forged"'; console.log = null;
       Array.prototype.toJSON = () => 'forged'; Promise.prototype.then = null; return 1`,
    );
    const next = 'console.log("here"); return [typeof left, {}.polluted ?? null, JSON.stringify([1])]';
    expect(await run(box, next)).toEqual({
      kind: 'value',
      value: ['undefined', null, '[1]'],
      lines: [{ level: 'info', message: 'here' }],
    });
  });

  it('does not hold up the event loop of the process', async () => {
    const before = performance.eventLoopUtilization();
    await Promise.all(HOSTILE_SCRIPTS.slice(0, 12).map(({ source }) => run(pool.lane('hostile'), source)));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });
});
