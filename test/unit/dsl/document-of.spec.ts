import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { compile, documentOf, type Plan, validateDocument, type WorkflowDocument } from '../../../dsl';
import { BACKOFFS } from '../../../dsl/document';
import type { JsonObject } from '../../../lib/json';
import { builtIn } from '../../support/vocabulary';
import { document, nodeTypes, step } from './support/documents';

const plan = (input: JsonObject, types = nodeTypes): Plan => compile(input as unknown as WorkflowDocument, types);

const written = (name: string): JsonObject[] =>
  [...readFileSync(join(__dirname, '../../../docs', name), 'utf8').matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, text = '']) =>
      text.startsWith('{')
        ? (JSON.parse(text) as JsonObject)
        : { ...document([step('a')]), ...(JSON.parse(`{${text}}`) as JsonObject) },
  );

const nested = document(
  [
    step('first', { name: 'First', timeout: '1500ms', retry: { max_attempts: 3, initial_interval: '10m' } }),
    step('big', {
      type: 'if',
      needs: ['first'],
      cases: [{ when: '{{ steps.first.ok }}', steps: [step('yes')] }],
      else: [step('no', { on_error: 'continue' })],
      on_error: [step('tell')],
    }),
    step('side', {
      type: 'parallel',
      branches: ['a', 'b'].map((id) => ({ id, steps: [step(`in_${id}`)] })),
      wait: 'any',
      compensate: [step('undo')],
    }),
    step('each', {
      type: 'foreach',
      config: { items: [1, 2], concurrency: 2 },
      steps: [step('one', { cache: { ttl: '90s', key: '{{ loop.item }}' }, pin: { v: 1 } })],
    }),
    step('guard', { type: 'try', steps: [step('risk', { cache: '1h' })], catch: [], finally: [step('clean')] }),
  ],
  {
    trigger: { type: 'http', config: { secret: 'A' } },
    retry: { max_attempts: 2, backoff: 'fixed', jitter: 0 },
    concurrency: { key: '{{ trigger.body.shop }}', on_conflict: 'skip' },
    timeout: '1d',
    inputs: { type: 'object' },
    output: { v: '{{ steps.each.count }}' },
    on_error: [step('mail')],
    description: 'Not in the plan',
  },
);

test('the document of a plan compiles to that plan', () => {
  for (const each of [nested, document([step('a')]), document([step('a')], { name: 'A', trigger: { type: 'manual' } })])
    expect(plan(documentOf(plan(each)) as unknown as JsonObject)).toEqual(plan(each));
});

test('that holds for every example of the page on workflows, which is valid afterwards, too', () => {
  const examples = written('workflows.md').filter(
    (each) => validateDocument(each, { nodeTypes: builtIn }).errors.length === 0,
  );
  expect(examples.length).toBeGreaterThan(10);
  for (const example of examples) {
    const before = plan(example, builtIn);
    const again = documentOf(before) as unknown as JsonObject;
    expect(validateDocument(again, { nodeTypes: builtIn })).toEqual({ errors: [], warnings: [] });
    expect(plan(again, builtIn).hash).toBe(before.hash);
  }
});

test('that holds for every retry policy', () => {
  const duration = fc.integer({ min: 1, max: 3_600_000 }).map((ms) => `${ms}ms`);
  const policy = fc.record(
    {
      max_attempts: fc.integer({ min: 1, max: 100 }),
      backoff: fc.constantFrom(...BACKOFFS),
      initial_interval: duration,
      max_interval: duration,
      factor: fc.constantFrom(1, 1.5, 2, 10),
      jitter: fc.constantFrom(0, 0.2, 1),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(policy, policy, (retry, own) => {
      const before = plan(document([step('a', { retry: own }), step('b')], { retry }));
      expect(plan(documentOf(before) as unknown as JsonObject).hash).toBe(before.hash);
    }),
  );
});

test('usual policies are left out', () => {
  const { steps } = documentOf(plan(document([step('a'), step('b', { timeout: '61s' })])), { nodeTypes });
  expect(steps).toEqual([
    { id: 'a', type: 'set' },
    { id: 'b', type: 'set', timeout: '61s' },
  ]);
});

test('without values it has the same steps without configuration, pins, inputs and output', () => {
  const bare = documentOf(plan(nested), { values: false });
  const text = JSON.stringify(bare);
  for (const word of ['config', 'pin', 'inputs', 'output', 'secret']) expect(text).not.toContain(`"${word}"`);
  expect(bare.steps.map(({ id }) => id)).toEqual(['first', 'big', 'side', 'each', 'guard']);
  expect(bare.steps[3]?.steps).toEqual([expect.objectContaining({ id: 'one', type: 'set' })]);
});
