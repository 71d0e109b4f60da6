import type { Json } from '../../../lib/json';
import type { SandboxErrorCode } from '../../../lib/sandbox';

/** A script that wants what it may not have, and what it may come to. */
export interface HostileScript {
  title: string;
  source: string;
  /** One of these errors. Which one may depend on the machine: a bomb on a slow one is ended by time, not by memory. */
  codes?: SandboxErrorCode[];
  /** Or a value. */
  value?: Json;
}

const time: SandboxErrorCode[] = ['timed_out'];
const memory: SandboxErrorCode[] = ['out_of_memory', 'timed_out'];
const depth: SandboxErrorCode[] = ['too_deep', 'timed_out'];
const invalid: SandboxErrorCode[] = ['result_invalid'];
const refused: SandboxErrorCode[] = ['script_error'];

export const HOSTILE_SCRIPTS: HostileScript[] = [
  // Time
  { title: 'an endless loop', source: 'while (true);', codes: time },
  {
    title: 'an endless loop that catches whatever ends it',
    source: 'for (;;) { try { while (true); } catch {} finally { continue; } }',
    codes: time,
  },
  {
    title: 'an endless chain of promises',
    source: 'const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})',
    codes: time,
  },
  { title: 'an endless loop of awaits', source: 'for (;;) await 0', codes: time },
  {
    title: 'an endless loop in a job that is left behind',
    source: 'Promise.resolve().then(() => { while (true); }); return 1',
    codes: time,
  },
  { title: 'a promise that never settles', source: 'await new Promise(() => {})', codes: refused },
  {
    title: 'a thenable that never ends',
    source: 'return { then() { while (true); } }',
    codes: time,
  },
  { title: 'a regular expression that backtracks', source: 'return /^(a+)+$/.test("a".repeat(40) + "b")', codes: time },
  {
    title: 'a built-in function that cannot be interrupted',
    source: '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    codes: time,
  },
  { title: 'JSON of a list with four hundred million holes', source: 'JSON.stringify(new Array(4e8))', codes: memory },
  {
    title: 'a sort that never agrees',
    source: 'Array.from({ length: 100 }, (_, i) => i).sort(() => { while (true); })',
    codes: time,
  },
  {
    title: 'an iterator without end',
    source: 'for (const x of { *[Symbol.iterator]() { for (;;) yield 1; } });',
    codes: time,
  },
  { title: 'a spread without end', source: 'return [...(function* () { for (;;) yield 1; })()]', codes: memory },
  { title: 'a getter in the result that never returns', source: 'return { get a() { while (true); } }', codes: time },
  { title: 'a toJSON in the result that never returns', source: 'return { toJSON() { while (true); } }', codes: time },
  {
    title: 'a getter in the thrown error that never returns',
    source: 'throw { get name() { while (true); } }',
    codes: time,
  },
  {
    title: 'a console argument that never returns',
    source: 'console.log({ toJSON() { while (true); } })',
    codes: time,
  },

  // Memory
  { title: 'a list that grows', source: 'const all = []; for (;;) all.push(new Array(1000).fill(1))', codes: memory },
  { title: 'typed arrays', source: 'const all = []; for (;;) all.push(new Uint8Array(1e6))', codes: memory },
  {
    title: 'one enormous buffer',
    source: 'return new ArrayBuffer(2 ** 31).byteLength',
    codes: [...memory, 'script_error'],
  },
  {
    title: 'one enormous shared buffer',
    source: 'return new SharedArrayBuffer(2 ** 31).byteLength',
    codes: [...memory, 'script_error'],
  },
  {
    title: 'a map that grows',
    source: 'const map = new Map(); for (let i = 0; ; i++) map.set(i, { i })',
    codes: memory,
  },
  {
    title: 'an object that grows',
    source: 'const all = {}; for (let i = 0; ; i++) all["key" + i] = i',
    codes: memory,
  },
  { title: 'a text that doubles', source: 'let s = "x"; for (;;) s += s', codes: [...memory, 'script_error'] },
  { title: 'a padded text', source: 'return "x".padEnd(1e9)', codes: memory },
  {
    title: 'a text that replaces itself',
    source: 'let s = "aa"; for (;;) s = s.replace(/a/g, "$&$&")',
    codes: [...memory, 'script_error'],
  },
  { title: 'symbols', source: 'const all = []; for (;;) all.push(Symbol.for(String(all.length)))', codes: memory },
  {
    title: 'closures that hold each other',
    source: 'let f = () => 0; for (;;) { const g = f; f = () => g; }',
    codes: memory,
  },
  {
    title: 'weak references to what is kept',
    source: 'const all = []; for (;;) all.push(new WeakRef({}), {})',
    codes: memory,
  },
  {
    title: 'a number of a billion digits',
    source: 'return String(2n ** (2n ** 40n))',
    codes: [...memory, 'script_error'],
  },
  {
    title: 'memory that is caught, again and again',
    source:
      'const all = []; for (;;) { try { for (;;) all.push(new Array(1e4).fill(0)); } catch { all.length -= 1; } }',
    codes: memory,
  },

  // Depth
  { title: 'recursion', source: 'const f = () => f(); f()', codes: depth },
  {
    title: 'recursion that is caught',
    source: 'const f = () => { try { return f(); } catch { return 1; } }; return f()',
    value: 1,
  },
  {
    title: 'recursion that catches and tries again',
    source: 'const f = () => { try { f(); } catch { f(); } }; f()',
    codes: depth,
  },
  { title: 'asynchronous recursion', source: 'const f = async () => { await f(); }; await f()', codes: depth },
  {
    title: 'asynchronous recursion that pauses',
    source: 'const f = async () => { await 0; await f(); }; await f()',
    codes: memory,
  },
  { title: 'a generator within itself', source: 'function* g() { yield* g(); } for (const x of g());', codes: depth },
  {
    title: 'a proxy of itself',
    source: 'const p = new Proxy({}, {}); Object.setPrototypeOf(p, p); return p.x',
    codes: [...depth, 'script_error'],
  },
  { title: 'a text of brackets', source: 'return JSON.parse("[".repeat(1e6))', codes: depth },
  { title: 'a source of brackets', source: 'return eval("[".repeat(1e6))', codes: [...depth, 'script_error'] },
  {
    title: 'a pattern of brackets',
    source: 'return new RegExp("(?:".repeat(1e5) + ")".repeat(1e5))',
    codes: [...depth, 'script_error'],
  },
  {
    title: 'a result nested too deep to be written',
    source: 'let d = []; for (let i = 0; i < 1e5; i++) d = [d]; return d',
    codes: [...depth, 'result_invalid'],
  },
  {
    title: 'a result nested too deep to be kept',
    source: 'let d = []; for (let i = 0; i < 201; i++) d = [d]; return d',
    codes: invalid,
  },
  { title: 'a replacer that recurses', source: 'const f = () => JSON.stringify({}, f); return f()', codes: depth },

  // The way out
  {
    title: 'the constructor of a constructor',
    source: 'return constructor.constructor("return process")()',
    codes: refused,
  },
  {
    title: 'the constructor of a function',
    source: 'return (() => 0).constructor("return typeof process + typeof require + typeof fetch")()',
    value: 'undefinedundefinedundefined',
  },
  {
    title: 'the constructor of the console',
    source: 'return console.log.constructor("return typeof process")()',
    value: 'undefined',
  },
  {
    title: 'the callers of a function',
    source: 'function f() { return String(f.caller); } return [f()].map(f)',
    codes: refused,
    value: ['undefined'],
  },
  { title: 'a module', source: 'return await import("node:fs")', codes: refused },
  {
    title: 'a module by a data URL',
    source: 'return await import("data:text/javascript,export default 1")',
    codes: refused,
  },
  { title: 'a static import', source: 'import fs from "fs"; return 1', codes: refused },
  {
    title: "the engine's own modules",
    source: 'return [typeof std, typeof os, typeof bjson, typeof print, typeof Worker]',
    value: ['undefined', 'undefined', 'undefined', 'undefined', 'undefined'],
  },
  {
    title: 'timers and the network',
    source:
      'return [typeof setTimeout, typeof setInterval, typeof queueMicrotask, typeof fetch, typeof WebSocket, typeof Atomics, typeof WebAssembly]',
    value: Array.from({ length: 7 }, () => 'undefined'),
  },
  {
    title: 'a source that closes its function',
    source: 'return 1 }); (function () { return typeof process',
    codes: refused,
    value: 'undefined',
  },
  {
    title: 'eval',
    source: 'return [eval("1 + 1"), (0, eval)("typeof process")]',
    value: [2, 'undefined'],
  },
  {
    title: 'stacks with a handler of its own',
    source:
      'Error.prepareStackTrace = (_, frames) => frames; const { stack } = new Error("x"); return typeof stack === "string" && !stack.includes("/")',
    value: true,
  },
  {
    title: 'a stack handler that never returns',
    source: 'Error.prepareStackTrace = () => { while (true); }; throw new Error("x")',
    codes: [...refused, 'timed_out'],
  },

  // The result
  { title: 'a bigint', source: 'return 10n', codes: invalid },
  { title: 'a symbol', source: 'return Symbol("s")', codes: invalid },
  { title: 'a function', source: 'return () => 1', codes: invalid },
  { title: 'a circle', source: 'const a = {}; a.a = a; return a', codes: invalid },
  {
    title: 'a proxy that throws',
    source: 'return new Proxy({}, { ownKeys() { throw new Error("no"); } })',
    codes: invalid,
  },
  {
    title: 'a revoked proxy',
    source: 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    codes: [...invalid, 'script_error'],
  },
  { title: 'an enormous text', source: 'return "x".repeat(2e6)', codes: ['result_too_large'] },
  { title: 'an enormous list', source: 'return new Array(1e6).fill(1)', codes: ['result_too_large', 'timed_out'] },
  {
    title: 'names of the language as keys',
    source: 'return JSON.parse(\'{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}\')',
    value: JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}') as Json,
  },
  { title: 'text that is no Unicode', source: 'return "\\ud800" + "a\\0b"', value: '\ud800a\0b' },
  {
    title: 'built-in functions that lie about the result',
    source:
      'JSON.stringify = () => \'"forged"\'; Reflect.apply = () => "forged"; String.prototype.slice = () => "forged"; globalThis.JSON = null; return { real: 1 }',
    value: { real: 1 },
  },
  {
    title: 'built-in functions that lie about an error',
    source:
      'Error[Symbol.hasInstance] = () => { throw 1; }; throw Object.create(null, { name: { get() { throw 2; } } })',
    codes: refused,
  },
  {
    title: 'an error that says what the sandbox says',
    source: 'const e = new Error("stack overflow"); e.name = "InternalError"; throw e',
    codes: ['too_deep'],
  },
];
