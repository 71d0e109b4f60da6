import type { JsonObject } from '../../../lib/json';
import { CASE_SECRET, type NodeCase } from '../node-case';

const fails = (code: string, message: string, retryable = false): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable,
});

const run = {
  trigger: { body: { name: 'Ada' } },
  steps: { fetch: { status: 200 }, 'read-all': { count: 2 } },
  loop: { item: 'x', index: 1 },
};

export const cases: NodeCase[] = [
  {
    title: 'what is returned is the output',
    input: {
      source: 'return { total: input.prices.reduce((sum, price) => sum + price, 0) }',
      input: { prices: [1, 2.5] },
    },
    outcome: { kind: 'done', output: { total: 3.5 } },
  },
  {
    title: 'what is no object becomes the result',
    input: { source: 'return [1, input ?? null]', input: null },
    outcome: { kind: 'done', output: { result: [1, null] } },
  },
  {
    title: 'nothing becomes null',
    input: { source: '// nothing' },
    outcome: { kind: 'done', output: { result: null } },
  },
  {
    title: 'without input there is an empty object',
    input: { source: 'return input' },
    outcome: { kind: 'done', output: {} },
  },
  {
    title: 'the run is in scope',
    input: { source: 'return { hello: trigger.body.name, status: steps.fetch.status, index: loop.index }' },
    run,
    outcome: { kind: 'done', output: { hello: 'Ada', status: 200, index: 1 } },
  },
  {
    title: 'all steps are in scope where they are not named one by one',
    input: { source: 'return Object.keys(steps)' },
    run,
    outcome: { kind: 'done', output: { result: ['fetch', 'read-all'] } },
  },
  {
    title: 'it may await',
    input: { source: 'const [a, b] = await Promise.all([1, Promise.resolve(2)]); return { sum: a + b }' },
    outcome: { kind: 'done', output: { sum: 3 } },
  },
  {
    title: 'the console writes into the log, with secrets masked',
    input: { source: 'console.log("key", input); console.warn({ n: 1 })', input: CASE_SECRET },
    logs: [
      { level: 'info', message: 'key ***' },
      { level: 'warn', message: '{"n":1}' },
    ],
    outcome: { kind: 'done', output: { result: null } },
  },
  {
    title: 'names of the language are names',
    input: { source: 'return JSON.parse(\'{"__proto__": {"admin": true}}\')' },
    outcome: { kind: 'done', output: JSON.parse('{"__proto__": {"admin": true}}') as JsonObject },
  },
  {
    title: 'an error is that of the source, with its line',
    input: { source: 'const a = 1;\nthrow new TypeError(`no ${a} of ${input}`)', input: CASE_SECRET },
    outcome: fails('script_error', 'TypeError: no 1 of *** (line 2)'),
  },
  {
    title: 'what is not valid JavaScript is an error with its line',
    input: { source: '\nreturn {' },
    outcome: fails('script_error', '(line 2)'),
  },
  {
    title: 'a source that takes too long is ended',
    input: { source: 'const end = Date.now() + 300; while (Date.now() < end);', timeout: '50ms' },
    outcome: fails('timed_out', 'The script took longer than its 50 ms'),
  },
  {
    title: 'a source that takes too much memory is ended',
    input: { source: 'const all = []; for (;;) all.push(new Uint8Array(1e6))' },
    outcome: fails('out_of_memory', '64 MiB'),
  },
  {
    title: 'a source that recurses too deep is ended',
    input: { source: 'const f = () => f(); f()' },
    outcome: fails('too_deep', 'recurses too deep'),
  },
  {
    title: 'there is a limit to what is returned',
    input: { source: 'return "x".repeat(2e6)' },
    outcome: fails('result_too_large', '1048576'),
  },
  {
    title: 'what is no JSON cannot be returned',
    input: { source: 'return 10n' },
    outcome: fails('result_invalid', 'BigInt'),
  },
  {
    title: 'the host is out of reach',
    input: { source: 'return constructor.constructor("return process")()' },
    outcome: fails('script_error', "'process' is not defined"),
  },
  {
    title: 'the time-out has a limit',
    input: { source: 'return 1', timeout: '10m' },
    outcome: fails('invalid_config', '"timeout" must be'),
  },
];
