/**
 * How many times a second templates are rendered that were compiled once: `npm run bench:expressions`. Each figure is
 * the median of five rounds after a warm-up; the baseline reads the same value from the same environment by hand.
 */
import { performance } from 'node:perf_hooks';
import { compileCondition, compileTemplate, type EvaluationContext, render, truthy } from '../dsl';
import type { Json } from '../lib/json';
import { median } from './percentile';
import { table } from './tables';

const ROUNDS = 5;
const WARM_UP_MS = 300;
const ROUND_MS = 400;
/** Calls between two looks at the clock. */
const BATCH = 500;

const STEPS = {
  a: { b: 42, list: Array.from({ length: 100 }, (_, n) => ({ n, name: `item ${n}` })) },
  fetch: { status: 200, body: { total: 1_200, customer: { name: 'Ada', email: 'ada@example.com' } } },
};

const env: EvaluationContext = {
  root: (name) => (name === 'steps' ? STEPS : name === 'trigger' ? { body: { id: 7 } } : undefined),
  now: Date.UTC(2026, 0, 31),
  random: (bytes) => new Uint8Array(bytes),
};

const CONFIG: Json = {
  method: 'POST',
  url: 'https://api.example.com/orders/{{ trigger.body.id }}/notes',
  headers: { 'content-type': 'application/json', 'x-total': '{{ steps.fetch.body.total }}' },
  body: {
    name: '{{ steps.fetch.body.customer.name | upper }}',
    mail: '{{ steps.fetch.body.customer.email }}',
    tags: ['a', 'b'],
  },
};

const rendering = (json: Json): (() => unknown) => {
  const template = compileTemplate(json);
  return () => render(template, env);
};

const condition = compileCondition('{{ steps.fetch.status == 200 && steps.fetch.body.total > 1000 }}');

const BASELINE = 'read by hand: steps.a.b';
const CASES: readonly (readonly [name: string, call: () => unknown])[] = [
  [BASELINE, () => (env.root('steps') as typeof STEPS | undefined)?.a.b],
  ['{{ steps.a.b }}', rendering('{{ steps.a.b }}')],
  ['a path of five', rendering('{{ steps.fetch.body.customer.name }}')],
  ['text with two expressions', rendering('Order {{ trigger.body.id }} of {{ steps.fetch.body.customer.name }}')],
  ['a condition', () => truthy(render(condition, env))],
  ['sort and map 100 items', rendering('{{ steps.a.list | sort("name", "desc") | map_field("n") }}')],
  ['the config of an HTTP step', rendering(CONFIG)],
];

/** Keeps results alive, so that no call can be left out. */
let sink: unknown;

/** Calls a second, over at least so many milliseconds. */
function rate(call: () => unknown, ms: number): number {
  const began = performance.now();
  let calls = 0;
  let passed = 0;
  while (passed < ms) {
    for (let n = 0; n < BATCH; n++) sink = call();
    calls += BATCH;
    passed = performance.now() - began;
  }
  return (calls / passed) * 1_000;
}

function measured(call: () => unknown): number {
  rate(call, WARM_UP_MS);
  return median(Array.from({ length: ROUNDS }, () => rate(call, ROUND_MS)));
}

const rates = CASES.map(([name, call]) => [name, measured(call)] as const);
const baseline = rates.find(([name]) => name === BASELINE)?.[1] ?? Number.NaN;
process.stdout.write(
  `${table(
    ['template', 'a second', 'times the baseline'],
    rates.map(([name, each]) => [name, Math.round(each), (baseline / each).toFixed(1)]),
  )}\n`,
);
if (sink === undefined) process.exitCode = 1;
