import fc from 'fast-check';
import {
  compile,
  nodeTypeIndex,
  type Plan,
  type PreparedBlock,
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

test('a plan names the secrets that node types use themselves, and those of the tools of an agent', () => {
  const own = (type: string, ...secrets: string[]) =>
    [type, { type, kind: 'work', inputSchema: { type: 'object' }, secrets }] as const;
  const types = new Map([own('custom-a', 'A'), own('custom-b', 'B', 'C'), own('agent')]);
  const tools = [{ type: 'custom-b' }, { type: 'unknown' }, 3];
  const input = document([step('one', { type: 'custom-a' }), step('two', { type: 'agent', config: { tools } })]);
  expect(compile(input as unknown as WorkflowDocument, types).secrets).toEqual(['A', 'B', 'C']);
});

test('a configuration of null is an empty one, as the validation has it', () => {
  const input = document([step('one', { config: null })]);
  expect(compile(input as unknown as WorkflowDocument, nodeTypes).steps[0]?.config).toEqual({});
});

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

const everything = document(
  [
    step('first', { config: { key: '{{ secret.KEY }}' }, needs: [], timeout: '5s' }),
    step('big', {
      type: 'switch',
      cases: [
        { when: '{{ steps.first.total > 10 }}', steps: [step('small')] },
        { when: true, steps: [step('yes'), step('more')] },
      ],
      else: [step('none')],
      on_error: [step('tell')],
      timeout: '1h',
    }),
    step('side', {
      type: 'parallel',
      branches: [
        { id: 'a', steps: [step('left')] },
        { id: 'b', steps: [step('right')] },
      ],
      wait: 'any',
    }),
    step('each', {
      type: 'foreach',
      needs: ['first'],
      config: { items: '{{ steps.first.rows }}', concurrency: 5 },
      steps: [step('one', { cache: { ttl: '10m', key: 'row {{ loop.item }}' }, pin: { v: 1 } })],
      compensate: [step('undo')],
    }),
    step('poll', {
      type: 'while',
      needs: ['each', 'side'],
      config: { condition: '{{ steps.look.more }}' },
      steps: [step('look', { cache: '1h' })],
    }),
    step('guard', { type: 'try', needs: [], steps: [step('risk')], catch: [], finally: [step('clean')] }),
  ],
  {
    trigger: { type: 'http' },
    retry: { max_attempts: 4 },
    on_error: [step('mail', { config: { text: '{{ error.message }}' } })],
    inputs: { type: 'object' },
  },
);

const planOf = (input: JsonObject): Plan => compile(input as unknown as WorkflowDocument, nodeTypes);

/** A block as text: each step with those that it waits for, then its blocks. */
const outline = ({ steps, needs }: PreparedBlock): string[] => {
  const name = (index: number): string => steps[index]?.def.id ?? '';
  const line = (index: number): string => `${name(index)} <- ${needs[index]?.map(name).join(', ')}`.trimEnd();
  return steps.flatMap((each, index) => [
    line(index),
    ...[...each.blocks].map(([key, block]) => `  ${key}: ${outline(block).join(', ')}`),
  ]);
};

describe('control flow in a plan', () => {
  const { steps, triggers, inputs, onError } = planOf(everything);
  const [first, big, side, each, poll, guard] = steps;

  test('says how each step goes about those that it holds', () => {
    expect(first).not.toHaveProperty('control');
    expect(big?.control).toEqual({ kind: 'branch', conditions: ['{{ steps.first.total > 10 }}', true] });
    expect(side?.control).toEqual({ kind: 'parallel', branches: ['a', 'b'], wait: 1 });
    expect(each?.control).toEqual({ kind: 'foreach', items: '{{ steps.first.rows }}', concurrency: 5 });
    expect(poll?.control).toEqual({ kind: 'while', condition: '{{ steps.look.more }}', maxIterations: 1_000 });
    expect(guard?.control).toEqual({ kind: 'try' });
    expect(steps.map(({ type }) => type)).toEqual(['set', 'branch', 'parallel', 'foreach', 'while', 'try']);
  });

  test('of branches that are all waited for, or some', () => {
    const branches = ['a', 'b', 'c'].map((id) => ({ id, steps: [step(`in_${id}`)] }));
    const waits = ([{}, { wait: 'all' }, { wait: 'any' }, { wait: 2 }] as JsonObject[]).map(
      (more) => planOf(document([step('p', { type: 'parallel', branches, ...more })])).steps[0]?.control,
    );
    expect(waits.map((control) => control?.kind === 'parallel' && control.wait)).toEqual([3, 3, 1, 2]);
  });

  test('is neither tried again as a whole nor timed unless it says so', () => {
    expect([first, big, side, each].map((each) => [each?.retry.maxAttempts, each?.timeoutMs])).toEqual([
      [4, 5_000],
      [1, 3_600_000],
      [1, null],
      [1, null],
    ]);
  });

  test('keeps what steps need, undo, cache and pin', () => {
    expect([first, big, each].map((step) => step?.needs)).toEqual([[], undefined, ['first']]);
    expect(big?.onError).toBe('steps');
    expect(each?.blocks?.map(({ key }) => key)).toEqual(['steps', 'compensate']);
    const one = each?.blocks?.[0]?.steps[0];
    expect(one).toMatchObject({ cache: { ttlMs: 600_000, key: 'row {{ loop.item }}' }, pin: { v: 1 } });
    expect(poll?.blocks?.[0]?.steps[0]?.cache).toEqual({ ttlMs: 3_600_000 });
  });

  test("has the document's own triggers, inputs and steps for errors", () => {
    expect(triggers).toEqual([{ type: 'http', config: {} }]);
    expect(inputs).toEqual({ type: 'object' });
    expect(onError?.map(({ path }) => path)).toEqual(['.on_error/mail']);
    const { trigger: _, ...rest } = everything;
    const several = planOf({ ...rest, triggers: [{ type: 'manual' }, { type: 'http', config: { a: 1 } }] });
    expect(several.triggers).toEqual([
      { type: 'manual', config: {} },
      { type: 'http', config: { a: 1 } },
    ]);
  });
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
    const [fetch, shape] = prepared.root.steps;
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

  test('has the steps, and what each waits for, by block', () => {
    const { root, onError, byPath } = prepare(planOf(everything));
    expect(outline(root)).toEqual([
      'first <-',
      'big <- first',
      '  cases.0: small <-',
      '  cases.1: yes <-, more <- yes',
      '  else: none <-',
      '  on_error: tell <-',
      'side <- big',
      '  branches.0: left <-',
      '  branches.1: right <-',
      'each <- first',
      '  steps: one <-',
      '  compensate: undo <-',
      'poll <- each, side',
      '  steps: look <-',
      'guard <-',
      '  steps: risk <-',
      '  catch: ',
      '  finally: clean <-',
    ]);
    expect([root.sequential, onError?.sequential]).toEqual([false, true]);
    expect(onError?.steps.map(({ path }) => path)).toEqual(['.on_error/mail']);
    expect([...byPath.keys()]).toEqual([
      'first',
      'big',
      'big/cases.0/small',
      'big/cases.1/yes',
      'big/cases.1/more',
      'big/else/none',
      'big/on_error/tell',
      'side',
      'side/branches.0/left',
      'side/branches.1/right',
      'each',
      'each/steps/one',
      'each/compensate/undo',
      'poll',
      'poll/steps/look',
      'guard',
      'guard/steps/risk',
      'guard/finally/clean',
      '.on_error/mail',
    ]);
    expect(byPath.get('each/steps/one')).toBe(byPath.get('each')?.blocks.get('steps')?.steps[0]);
  });

  test('renders what control steps decide by', () => {
    const { byPath } = prepare(planOf(everything));
    const env = envOf({ steps: { first: { total: 7, rows: ['x', 'y'] } } });
    const control = (path: string) => byPath.get(path)?.control;
    const [branch, each, poll] = [control('big'), control('each'), control('poll')];
    expect(branch?.kind === 'branch' && branch.conditions.map((when) => render(when, env))).toEqual([false, true]);
    expect(each?.kind === 'foreach' && render(each.items, env)).toEqual(['x', 'y']);
    expect(poll?.kind === 'while' && truthy(render(poll.condition, env))).toBe(false);
    expect(byPath.get('first')?.control).toBeNull();
  });

  test('knows the secrets of each step, and the key of its cache', () => {
    const { byPath } = prepare(planOf(everything));
    expect(byPath.get('first')?.secrets).toEqual(['KEY']);
    expect(byPath.get('each/steps/one')?.secrets).toEqual([]);
    const key = byPath.get('each/steps/one')?.cacheKey;
    expect(key && render(key, envOf({ loop: { item: 'x' } }))).toBe('row x');
    expect(byPath.get('first')?.cacheKey).toBeNull();
  });

  test('of a plan that no document makes is refused', () => {
    const plan = compiled(document([step('a')]));
    const [first] = plan.steps;
    const broken = { ...plan, steps: [{ ...first, needs: ['b'] }] } as unknown as Plan;
    expect(() => prepare(broken)).toThrow('needs b');
  });
});
