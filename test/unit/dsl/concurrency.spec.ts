import { compile, prepare, renderKey, type Template, validateDocument, type WorkflowDocument } from '../../../dsl';
import { hashJson, type Json, type JsonObject } from '../../../lib/json';
import { concurrencyContext, concurrencyOf } from '../../../runtime/core/decide/concurrency';
import { inlineCompute } from '../../support/inline-compute';
import { builtIn } from '../../support/vocabulary';
import { document, nodeTypes, step } from './support/documents';

const errorsOf = (concurrency: Json): string[] =>
  validateDocument(document([step('a')], { concurrency }), { nodeTypes }).errors.map(
    ({ path, message }) => `${path}: ${message}`,
  );

/** The group of a run of a workflow with this word, started with this trigger. */
const groupOf = async (concurrency: JsonObject, trigger: JsonObject = {}, run: object = {}) => {
  const plan = prepare(compile(document([step('a')], { concurrency }) as unknown as WorkflowDocument, nodeTypes));
  const begun = { tenantId: 't', workflowId: 'w', env: 'dev', trigger, vars: {}, startedAt: 0, ...run };
  const env = concurrencyContext(begun, (bytes) => new Uint8Array(bytes));
  return concurrencyOf(plan.plan, begun, await renderKey(inlineCompute, plan.concurrencyKey as Template, env));
};

describe('concurrency is checked when a document is saved', () => {
  test.each<[Json]>([
    [{ key: 'all' }],
    [{ key: '{{ trigger.body.id }}', limit: 3, on_conflict: 'skip', x_mine: 1 }],
    [{ key: '{{ env }}-{{ execution.workflow_id }}-{{ vars.x }}', on_conflict: 'cancel_running' }],
  ])('%j is right', (concurrency) => {
    expect(errorsOf(concurrency)).toEqual([]);
  });

  test.each<[Json, string[]]>([
    ['x', ['concurrency: must be an object, not string']],
    [{}, ['concurrency.key: is missing']],
    [{ key: '' }, ['concurrency.key: is empty']],
    [{ key: 7 }, ['concurrency.key: must be text, not number']],
    [{ key: 'x', limit: 0 }, ['concurrency.limit: must be a whole number from 1 to 1000']],
    [{ key: 'x', on_conflict: 'wait' }, ['concurrency.on_conflict: must be "queue" or "skip" or "cancel_running"']],
    [{ key: 'x', max: 1 }, ['concurrency.max: unknown key of concurrency']],
  ])('%j is wrong', (concurrency, errors) => {
    expect(errorsOf(concurrency)).toEqual(errors);
  });

  test.each([
    ['steps.a.v', 'steps.a is not known before the run begins'],
    ['execution.id', 'execution.id is not known before the run begins'],
    ['execution', 'execution is not known before the run begins'],
    ['secret.KEY', 'a secret may not be used in a concurrency key: keys are shown'],
    ['approval_link("a", "approve")', 'there is no approval before the run begins'],
    ['trigger.', ''],
  ])('a key of %s is refused', (expression, message) => {
    expect(errorsOf({ key: `{{ ${expression} }}` })).toEqual([expect.stringContaining(`concurrency.key: ${message}`)]);
  });
});

describe('the group of a run', () => {
  test('is made of tenant, workflow and key', async () => {
    const one = await groupOf({ key: '{{ trigger.id }}' }, { id: 7 });
    expect(one).toMatchObject({ key: '7', limit: 1, onConflict: 'queue' });
    expect(await groupOf({ key: '{{ trigger.id }}' }, { id: 7, more: 1 })).toEqual(one);
    const others = await Promise.all([
      groupOf({ key: '{{ trigger.id }}' }, { id: 8 }),
      groupOf({ key: '{{ trigger.id }}' }, { id: 7 }, { tenantId: 'u' }),
      groupOf({ key: '{{ trigger.id }}' }, { id: 7 }, { workflowId: 'v' }),
      // No list of parts reads like another one.
      groupOf({ key: '{{ trigger.id }}' }, { id: 7 }, { tenantId: 'tw', workflowId: '' }),
    ]);
    expect(new Set([one, ...others].map((group) => group?.group)).size).toBe(5);
  });

  test('is none when the key is empty', async () => {
    expect(await groupOf({ key: '{{ trigger.body.id }}' })).toBeNull();
    expect(await groupOf({ key: '{{ trigger.id }}' }, { id: null })).toBeNull();
    expect(await groupOf({ key: '{{ trigger.id }}' }, { id: '' })).toBeNull();
  });

  test('keeps a long key as its hash, and knows a large value by its own', async () => {
    expect((await groupOf({ key: '{{ trigger.id }}' }, { id: 'x'.repeat(256) }))?.key).toBe('x'.repeat(256));
    expect((await groupOf({ key: '{{ trigger.id }}' }, { id: 'x'.repeat(257) }))?.key).toMatch(/^[0-9a-f]{64}$/);
    const large = Array.from({ length: 20_000 }, (_, index) => index);
    expect((await groupOf({ key: '{{ trigger.id }}' }, { id: large }))?.key).toBe(`sha256:${hashJson(large)}`);
  });

  test('is the same for equal values', async () => {
    const one = await groupOf({ key: '{{ trigger.id }}' }, { id: { a: 1, b: 2 } });
    expect(await groupOf({ key: '{{ trigger.id }}' }, { id: { b: 2, a: 1 } })).toEqual(one);
  });

  test('says why when the key cannot be evaluated', async () => {
    await expect(groupOf({ key: '{{ trigger.id * 2 }}' }, { id: 'seven' })).rejects.toThrow('*');
  });
});

describe('a step that runs another workflow', () => {
  const errors = (config: Json): string[] =>
    validateDocument(document([{ id: 'a', type: 'sub_workflow', config }]), { nodeTypes: builtIn }).errors.map(
      ({ path, message }) => `${path}: ${message}`,
    );

  test.each<[JsonObject]>([
    [{ workflow: 'other' }],
    [{ workflow: 'doc', input: { v: 1 }, wait: false }],
    [{ workflow: '{{ trigger.which }}', input: '{{ trigger }}' }],
  ])('with %j is right', (config) => {
    expect(errors(config)).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{}, 'steps[0].config.workflow: is required'],
    [{ workflow: '' }, 'steps[0].config.workflow: '],
    [{ workflow: 7 }, 'steps[0].config.workflow: '],
    [{ workflow: 'x', input: [1] }, 'steps[0].config.input: '],
    [{ workflow: 'x', inputs: {} }, 'steps[0].config.inputs: unknown key of this step type'],
    [{ workflow: 'x', input: { k: '{{ secret.KEY }}' } }, 'steps[0].config.input.k: a secret may not be handed'],
  ])('with %j is wrong', (config, message) => {
    expect(errors(config)).toEqual([expect.stringContaining(message)]);
  });
});
