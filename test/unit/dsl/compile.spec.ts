import fc from 'fast-check';
import {
  compile,
  nodeTypeIndex,
  type Plan,
  prepare,
  render,
  truthy,
  validateDocument,
  type WorkflowDocument,
} from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { document, nodeTypes, step } from './support/documents';
import { envOf } from './support/env';

/** Compiles what validation finds no error in. */
function compiled(input: JsonObject): Plan {
  expect(validateDocument(input, { nodeTypes }).errors).toEqual([]);
  return compile(input as unknown as WorkflowDocument, nodeTypes);
}

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, shuffled(inner)]),
  );
};

const full = document(
  [
    step('fetch', {
      type: 'http',
      config: { url: '{{ trigger.url }}', headers: { a: '{{ secret.B_KEY }}', b: 'x{{ secret.A_KEY }}' } },
      retry: { max_attempts: 5 },
      timeout: '20s',
    }),
    step('shape', {
      type: 'transform',
      name: 'Shape',
      config: { v: '{{ steps.fetch.body }}' },
      if: '{{ steps.fetch.ok }}',
      on_error: 'continue',
    }),
  ],
  {
    retry: { max_attempts: 2, backoff: 'fixed', initial_interval: '5s' },
    timeout: '7d',
    output: { v: '{{ steps.shape.v }}' },
    ui: { zoom: 2 },
  },
);

test('a plan has every default filled in', () => {
  const { hash, ...plan } = compiled(full);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(plan).toEqual({
    format: 1,
    id: 'doc',
    name: 'doc',
    triggers: [{ type: 'manual', config: {} }],
    timeoutMs: 604_800_000,
    output: { v: '{{ steps.shape.v }}' },
    secrets: ['A_KEY', 'B_KEY'],
    steps: [
      {
        id: 'fetch',
        path: 'fetch',
        type: 'http_request',
        name: 'fetch',
        config: { url: '{{ trigger.url }}', headers: { a: '{{ secret.B_KEY }}', b: 'x{{ secret.A_KEY }}' } },
        retry: { maxAttempts: 5, backoff: 'fixed', initialMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 },
        timeoutMs: 20_000,
        onError: 'fail',
      },
      {
        id: 'shape',
        path: 'shape',
        type: 'set',
        typeVersion: 2,
        name: 'Shape',
        config: { v: '{{ steps.fetch.body }}' },
        if: '{{ steps.fetch.ok }}',
        retry: { maxAttempts: 2, backoff: 'fixed', initialMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 },
        timeoutMs: 60_000,
        onError: 'continue',
      },
    ],
  });
});

test('a run without limits has no deadline, no output template and one attempt', () => {
  const plan = compiled(document([step('a')], { name: 'Named', trigger: { type: 'http', config: {} } }));
  expect(plan).toMatchObject({ name: 'Named', timeoutMs: null, secrets: [], triggers: [{ type: 'http' }] });
  expect(plan).not.toHaveProperty('output');
  expect(plan.steps[0]).toMatchObject({ config: {}, timeoutMs: 60_000, retry: { maxAttempts: 1 } });
});

describe('the hash', () => {
  test('does not depend on the order of keys, on notes, or on when it is made', () => {
    const { hash } = compiled(full);
    expect(compiled(shuffled(full) as JsonObject).hash).toBe(hash);
    expect(compiled({ ...full, ui: { zoom: 3 }, notes: 'n', x_a: 1 }).hash).toBe(hash);
    expect(compiled(full).hash).toBe(hash);
  });

  test('changes with what runs', () => {
    const hashes = [full, { ...full, timeout: '1d' }, { ...full, id: 'other' }, { ...full, output: null }].map(
      (input) => compiled(input as JsonObject).hash,
    );
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  test('is the same for any configuration, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (config) => {
        fc.pre(!JSON.stringify(config).includes('{{'));
        const made = document([step('a', { config: JSON.parse(JSON.stringify(config)) as JsonObject })]);
        expect(compiled(shuffled(made) as JsonObject).hash).toBe(compiled(made).hash);
      }),
    );
  });
});

test('a plan goes through JSON unchanged', () => {
  const plan = compiled(full);
  expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
});

test('names win over aliases of other types', () => {
  const index = nodeTypeIndex(
    new Map([
      ['a', { type: 'a', kind: 'work', inputSchema: {}, aliases: ['b', 'c'] }],
      ['b', { type: 'b', kind: 'work', inputSchema: {} }],
    ]),
  );
  expect([...index].map(([name, { type }]) => `${name}=${type}`).sort()).toEqual(['a=a', 'b=b', 'c=a']);
});

describe('a prepared plan', () => {
  test('renders configuration, conditions and output', () => {
    const prepared = prepare(compiled(full));
    const [fetch, shape] = prepared.steps;
    const env = envOf({
      trigger: { url: 'u' },
      secret: { A_KEY: 'a', B_KEY: 'b' },
      steps: { fetch: { body: [1] }, shape: { v: 9 } },
    });
    expect(fetch && render(fetch.config, env)).toEqual({ url: 'u', headers: { a: 'b', b: 'xa' } });
    expect(fetch?.condition).toBeNull();
    expect(shape?.condition && truthy(render(shape.condition, env))).toBe(false);
    expect(prepared.output && render(prepared.output, env)).toEqual({ v: 9 });
    expect(prepared.byPath.get('shape')).toBe(shape);
    expect(prepared.byPath.size).toBe(2);
  });

  test('has no output template when the last step gives the output', () => {
    expect(prepare(compiled(document([step('a')]))).output).toBeNull();
  });

  test('finds nested steps by the path through their blocks', () => {
    const nested = document([
      step('b', {
        type: 'switch',
        cases: [{ steps: [step('x')] }, { steps: [step('y', { type: 'loop', steps: [step('z')] })] }],
        else: [step('w')],
      }),
    ]);
    // Steps that hold others cannot pass validation yet; the tree is ready for them.
    const plan = compile(nested as unknown as WorkflowDocument, nodeTypes);
    const { byPath, steps } = prepare(plan);
    expect([...byPath.keys()]).toEqual(['b', 'b/cases.0/x', 'b/cases.1/y', 'b/cases.1/y/steps/z', 'b/else/w']);
    expect(steps.map(({ path }) => path)).toEqual(['b']);
    expect(byPath.get('b')?.def.type).toBe('branch');
  });
});
