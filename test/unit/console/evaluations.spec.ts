import {
  formatDifference,
  formatP,
  formatScore,
  outcomeOf,
  parsedValue,
  shortJson,
  tagsOf,
  toneOfScore,
} from '../../../console/src/model/evaluations';
import { evaluationOf } from '../../../console/src/model/evaluation-form';
import { kindOf, METRIC_KINDS, metricOf } from '../../../console/src/model/metric-form';
import { readMetrics } from '../../../services/evaluations/metrics/read';

test.each([
  ['{"a":1}', { a: 1 }],
  ['42', 42],
  ['Hello', 'Hello'],
  ['"Hello"', 'Hello'],
])('the text %s is the value %j', (text, value) => expect(parsedValue('Input', text)).toEqual(value));

test('a text that begins as JSON has to be JSON', () =>
  expect(() => parsedValue('Input', '{"a":')).toThrow(/^Input is not valid JSON/));

test('scores, differences and p values are short', () => {
  expect([0.875, 1, null].map(formatScore)).toEqual(['87.5%', '100%', '–']);
  expect([0.125, -0.5, 0].map(formatDifference)).toEqual(['+12.5', '-50', '0']);
  expect([0.0001, 0.0421].map(formatP)).toEqual(['< 0.001', '0.042']);
  expect([null, 0.95, 0.7, 0.1].map(toneOfScore)).toEqual(['neutral', 'ok', 'warn', 'danger']);
});

test('values are shown in one line, long ones by their beginning', () => {
  expect([shortJson({ a: [1] }), shortJson('text')]).toEqual(['{"a":[1]}', 'text']);
  expect(shortJson('x'.repeat(1_000))).toHaveLength(301);
});

test('tags are between commas, each once', () => expect(tagsOf(' a, b,,a ')).toEqual(['a', 'b']));

test.each([
  ['completed', true, 'Passed'],
  ['completed', false, 'Gates failed'],
  ['completed', null, undefined],
  ['budget_exceeded', false, 'Budget used up'],
  ['failed', null, undefined],
])('an evaluation that is %s with gates %j is shown as %s', (status, passed, label) =>
  expect(outcomeOf({ status, passed }).label).toBe(label),
);

describe('the form of a metric', () => {
  test.each(METRIC_KINDS.map((kind) => [kind.type, kind] as const))(
    'of the type %s makes what the server takes',
    (type, { fields }) => {
      const values = Object.fromEntries(fields.map(({ name, placeholder = '' }) => [name, placeholder]));
      expect(readMetrics([metricOf({ type, values: { ...values, name: 'mine', threshold: '0.5' } })])).toMatchObject([
        { type, name: 'mine', threshold: 0.5 },
      ]);
    },
  );

  test('leaves out what is empty, and names what is missing or wrong', () => {
    expect(metricOf({ type: 'equals', values: { value: ' ', name: '' } })).toEqual({ type: 'equals' });
    expect(() => metricOf({ type: 'latency', values: {} })).toThrow('Latency: At most, in ms is missing');
    expect(() => metricOf({ type: 'latency', values: { max_ms: 'x' } })).toThrow('At most, in ms must be a number');
    expect(() => metricOf({ type: 'schema', values: { schema: '{' } })).toThrow(/^Schema is not valid JSON/);
    expect(kindOf('unknown').type).toBe('equals');
  });
});

describe('the form of an evaluation', () => {
  const metrics = [{ type: 'equals', values: {} }];
  const values = { workflow_id: 'w', dataset_id: 'd', version: 'live', writes: 'suppress', concurrency: '5' };

  test('leaves out what is empty', () =>
    expect(evaluationOf({ values: { ...values, name: ' ', tag: '', gates: '\n' }, metrics, pins: [] })).toEqual({
      workflow_id: 'w',
      dataset_id: 'd',
      version: 'live',
      writes: 'suppress',
      metrics: [{ type: 'equals' }],
      concurrency: 5,
    }));

  test('has versions as numbers, gates by lines, and pins by steps', () => {
    const given = { ...values, version: '3', writes: 'pinned', tag: 'hard', gates: 'score >= 0.9\n\nerrors == 0\n' };
    const pins = [{ step: 'send', output: '{"status":200}' }];
    expect(
      evaluationOf({ values: { ...given, cost_usd: '0.5', tokens: '100', row_timeout_seconds: '60' }, metrics, pins }),
    ).toMatchObject({
      row_timeout_seconds: 60,
      version: 3,
      writes: 'pinned',
      tag: 'hard',
      gates: ['score >= 0.9', 'errors == 0'],
      pins: { send: { status: 200 } },
      budget: { cost_usd: 0.5, tokens: 100 },
    });
  });

  test.each([
    ['no JSON', [{ step: 'a', output: '{' }], /^The output of a is not valid JSON/],
    ['no object', [{ step: 'a', output: '[]' }], /^The output of a must be a JSON object/],
    ['of no step', [{ step: '', output: '{}' }], /^Choose the step/],
    ['given twice', ['1', '2'].map(() => ({ step: 'a', output: '{}' })), /^The step a is pinned twice/],
  ])('refuses a pinned output that is %s', (_, pins, message) =>
    expect(() => evaluationOf({ values, metrics, pins })).toThrow(message),
  );

  test('pins a step of any name as its own member', () => {
    const { pins } = evaluationOf({ values, metrics, pins: [{ step: '__proto__', output: '{"a":1}' }] });
    expect(Object.keys(pins ?? {})).toEqual(['__proto__']);
  });
});
