import { compile, prepare, validateDocument, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { concurrencyContext } from '../../../runtime/core/decide/concurrency';
import { labelsFromDocument, labelsToDocument } from '../../../runtime/mongo/start-members';
import { type Labelled, labelsOf } from '../../../services/executor/labels';
import { inlineCompute } from '../../support/inline-compute';
import { document, nodeTypes, step } from './support/documents';

const errorsOf = (labels: Json) =>
  validateDocument(document([step('a')], { labels }), { nodeTypes }).errors.map(
    ({ path, message, hint }) => `${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );

const labelled = (
  labels: JsonObject,
  trigger: JsonObject = {},
  inherited?: Record<string, string>,
): Promise<Labelled> => {
  const plan = prepare(compile(document([step('a')], { labels }) as unknown as WorkflowDocument, nodeTypes));
  const run = { tenantId: 't', workflowId: 'w', env: 'dev', trigger, vars: { region: 'eu' }, startedAt: 0 };
  return labelsOf(
    inlineCompute,
    plan,
    concurrencyContext(run, (bytes) => new Uint8Array(bytes)),
    inherited,
  );
};

const leftOut = (path: string, reason: unknown) => ({ path, message: reason });

test.each<[Json]>([
  [{}],
  [{ order: '{{ trigger.body.id }}', region: 'eu', large: true, 'line-2': 7, constructor: 'x' }],
  [{ w: '{{ execution.workflow_id }} {{ env }} {{ vars.region }}' }],
])('%j is right', (labels) => {
  expect(errorsOf(labels)).toEqual([]);
});

test.each<[Json, unknown[]]>([
  ['x', ['labels: must be an object of names and values, not string (write {"order": "{{ trigger.body.id }}"})']],
  [['x'], [expect.stringContaining('not array')]],
  [{ 'a b': 'x' }, ['labels["a b"]: is not a valid name of a label (a letter, then up to 63 letters, digits, _ or -)']],
  [{ 'a=b': 'x' }, [expect.stringContaining('is not a valid name')]],
  [{ a: null }, [expect.stringContaining('labels.a: must be text, a number or a boolean, not null')]],
  [{ a: {} }, [expect.stringContaining('labels.a: must be text, a number or a boolean, not object')]],
  [{ a: '{{ steps.a.x }}' }, [expect.stringContaining('labels.a: steps.a is not known before the run begins')]],
  [{ a: '{{ secret.KEY }}' }, [expect.stringContaining('a secret may not be used in a label: labels are shown')]],
  [{ a: 'x'.repeat(4_097) }, ['labels.a: is longer than 4096 characters (compute the value in a step)']],
  [
    Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`l${n}`, 'x'])),
    ['labels: has 17 labels; a run has at most 16 (leave some out)'],
  ],
])('%j is refused with a path and a remedy', (labels, errors) => {
  expect(errorsOf(labels)).toEqual(errors);
});

test('values are text: numbers and booleans too', async () => {
  const trigger = { body: { id: 17, paid: false, name: 'Ada' } };
  const labels = {
    order: '{{ trigger.body.id }}',
    paid: '{{ trigger.body.paid }}',
    who: 'for {{ trigger.body.name }}',
    n: 7,
  };
  expect(await labelled(labels, trigger)).toEqual({ labels: { order: '17', paid: 'false', who: 'for Ada', n: '7' } });
  expect(await labelled({ region: '{{ vars.region }}', env: '{{ env }}' })).toEqual({
    labels: { region: 'eu', env: 'dev' },
  });
});

test.each<[string, JsonObject, unknown]>([
  ['{{ trigger.body.id }}', {}, 'This label is left out: it has no value'],
  ['{{ trigger.id }}', { id: '' }, 'This label is left out: it has no value'],
  ['{{ trigger.id }}', { id: [1] }, 'This label is left out: it must be text, a number or a boolean, not a list'],
  ['{{ trigger.id }}', { id: {} }, 'This label is left out: it must be text, a number or a boolean, not an object'],
  ['{{ trigger.id }}', { id: 'x'.repeat(257) }, 'This label is left out: it has 257 characters, more than 256'],
  ['{{ trigger.id + 1 }}', { id: {} }, expect.stringMatching(/^This label is left out: ./)],
])('%s of %j is left out with a warning, and the others stay', async (template, trigger, message) => {
  expect(await labelled({ bad: template, good: 'x' }, trigger)).toEqual({
    labels: { good: 'x' },
    warnings: [leftOut('labels.bad', message)],
  });
});

test('a document without labels, and without inherited ones, adds nothing to its runs', async () => {
  expect(await labelled({})).toEqual({});
});

test('labels of the retried run are inherited where the document has no value for them', async () => {
  const own = { a: '{{ trigger.a }}', b: '{{ trigger.b }}' };
  expect(await labelled(own, { a: 'new' }, { a: 'old', b: 'old', c: 'old' })).toMatchObject({
    labels: { a: 'new', b: 'old', c: 'old' },
  });
  expect(await labelled({}, {}, { a: 'old' })).toEqual({ labels: { a: 'old' } });
});

test('stored labels are read as they were, whatever is in their values', () => {
  const labels = { a: '=', b: 'x=y', c: '\u0000 ü', constructor: 'x' };
  expect(labelsFromDocument(labelsToDocument(labels))).toEqual(labels);
});
