import { runInNewContext } from 'node:vm';
import { Answers } from '../../../cli/testing/answers';
import { differences, type RunResult, subset } from '../../../cli/testing/compare';
import { NOT_MOCKED, prepare } from '../../../cli/testing/document';
import { junitOf } from '../../../cli/testing/junit';
import { TEST_FILE_SCHEMA } from '../../../cli/testing/schema';
import { compileSchema } from '../../../lib/json-schema';
import type { JsonObject } from '../../../lib/json';

const EFFECTS = new Map([
  ['http_request', 'read'],
  ['file_write', 'write'],
  ['set', 'pure'],
  ['foreach', 'pure'],
]);
const step = (id: string, type = 'http_request', more: JsonObject = {}): JsonObject => ({
  id,
  type,
  config: {},
  ...more,
});
const stepOf = (dsl: JsonObject, id: string): JsonObject =>
  (JSON.parse(JSON.stringify(dsl)) as { steps: JsonObject[] }).steps.find((each) => each.id === id) as JsonObject;

describe('the document of a case', () => {
  it('fails steps that would reach outside, and leaves the others', () => {
    const document = {
      steps: [step('get'), step('put', 'file_write'), step('sum', 'set'), step('sub', 'sub_workflow')],
    };
    const { dsl, faults } = prepare(document, { name: 'x' }, EFFECTS);
    expect(faults).toEqual([]);
    for (const id of ['get', 'put', 'sub'])
      expect(stepOf(dsl, id)).toMatchObject({ type: 'fail', config: { code: NOT_MOCKED } });
    expect(stepOf(dsl, 'sum')).toEqual(step('sum', 'set'));
    const open = prepare(document, { name: 'x', allow_network: true }, EFFECTS);
    expect(stepOf(open.dsl, 'get')).toEqual(step('get'));
  });

  it('keeps of a failing mock when it runs and what follows', () => {
    const given = step('get', 'http_request', { if: '{{ true }}', on_error: 'continue', retry: { max_attempts: 5 } });
    const mocks = { get: { error: { message: 'a {{ brace', code: 'gone' } } };
    const { dsl } = prepare({ steps: [given] }, { name: 'x', mocks }, EFFECTS);
    expect(stepOf(dsl, 'get')).toEqual({
      id: 'get',
      type: 'fail',
      if: '{{ true }}',
      on_error: 'continue',
      config: { code: 'gone', message: 'a \\{{ brace' },
    });
  });

  it('answers by iteration, without braces in the script', () => {
    const loop = step('each', 'foreach', { steps: [step('book')] });
    const mocks = { book: [{ output: { a: '{{ x }}' } }, { error: { message: 'no' } }] };
    const { dsl, pins } = prepare({ steps: [loop] }, { name: 'x', mocks }, EFFECTS);
    const [book] = stepOf(dsl, 'each').steps as JsonObject[];
    const { source, input } = (book as { config: { source: string; input: object } }).config;
    expect([source.includes('{{'), source.includes('}}'), input, pins]).toEqual([
      false,
      false,
      { index: '{{ loop.index }}' },
      {},
    ]);
    const act = (given: { index: number }): unknown =>
      runInNewContext(`JSON.stringify((function (input) { ${source} })(${JSON.stringify(given)}))`);
    expect(act({ index: 0 })).toBe(JSON.stringify({ a: '{{ x }}' }));
    expect(() => act({ index: 1 })).toThrow('no');
    expect(() => act({ index: 2 })).toThrow('There is no mock for iteration 2');
  });

  it('refuses mocks of steps that do not exist, or hold others', () => {
    const loop = step('each', 'foreach', { steps: [step('book')] });
    const mocks = { each: { output: {} }, nothing: { output: {} } };
    expect(prepare({ steps: [loop] }, { name: 'x', mocks }, EFFECTS).faults).toEqual([
      'mocks.each: a step that holds others cannot be mocked; mock those inside',
      'mocks.nothing: the workflow has no such step',
    ]);
  });
});

describe('the answers of a case', () => {
  const wait = (kind: string, step_id: string, name: string, since = '2026-01-01T00:00:00.000Z'): JsonObject => ({
    kind,
    step_id,
    name,
    since,
  });
  const ask = (pass: number): JsonObject => wait('approval', 'ask', `approve-ask.${pass}`);

  it('are sent once for a wait, and again in each pass of a loop', () => {
    const answers = new Answers({ name: 'x', approvals: { ask: { approved: true } } });
    expect([0, 0, 1].map((pass) => answers.next([ask(pass)]))).toEqual([
      [{ signal: 'approve-ask.0', data: { approved: true } }],
      [],
      [{ signal: 'approve-ask.1', data: { approved: true } }],
    ]);
    expect(answers.unanswered).toEqual([]);
  });

  it('of a list are used in its order, until there are none', () => {
    const answers = new Answers({ name: 'x', forms: { page: [{ n: 1 }, { n: 2 }] } });
    const page = (pass: number): JsonObject => wait('form', 'page', `page.${pass}`);
    expect(answers.next([page(0), page(1)])).toEqual([
      { signal: 'form-page.0', data: { n: 1 } },
      { signal: 'form-page.1', data: { n: 2 } },
    ]);
    expect([answers.next([page(1), page(2)]), answers.unanswered]).toEqual([[], []]);
    expect([answers.next([page(2)]), answers.unanswered]).toEqual([[], ['the form page']]);
  });

  it('to signals are a list of them, or data by name', () => {
    const twice = [wait('signal', 'a', 'go'), wait('signal', 'a', 'go')];
    const listed = new Answers({ name: 'x', signals: [{ signal: 'go', data: { n: 1 } }, { signal: 'go' }] });
    expect(listed.next(twice)).toEqual([
      { signal: 'go', data: { n: 1 } },
      { signal: 'go', data: {} },
    ]);
    const later = wait('signal', 'a', 'go', '2026-01-02T00:00:00.000Z');
    expect([listed.next([later]), listed.unanswered]).toEqual([[], ['the signal go']]);
    const named = new Answers({ name: 'x', signals: { go: { n: 1 } } });
    expect([named.next(twice).length, named.next([later])]).toEqual([2, [{ signal: 'go', data: { n: 1 } }]]);
  });

  it('for steps that the workflow does not have are faults', () => {
    const given = { name: 'x', approvals: { ask: { approved: true } }, forms: { page: {} } };
    expect(prepare({ steps: [step('ask', 'approval')] }, given, EFFECTS).faults).toEqual([
      'forms.page: the workflow has no such step',
    ]);
  });
});

describe('a comparison', () => {
  const row = (more: JsonObject): JsonObject => ({
    step_id: 'a',
    path: 'a',
    status: 'completed',
    output: {},
    error: null,
    ...more,
  });
  const seen = (more: Partial<RunResult> = {}): RunResult => ({
    status: 'completed',
    output: { n: 1, list: [1, { a: 1, b: 2 }] },
    error: null,
    waiting: [],
    steps: [row({ output: { n: 1 } })],
    ...more,
  });

  it('finds nothing where all is as expected', () => {
    expect(differences(seen())).toEqual([]);
    expect(
      differences(seen(), { output: { list: [1, { a: 1 }] }, steps: { a: { status: 'completed', count: 1 } } }),
    ).toEqual([]);
  });

  it('names each difference with its path', () => {
    expect(subset({ a: [1, 2] }, { a: [1] }, 'output')).toEqual(['output.a: expected 2 items, but there are 1: [1]']);
    expect(subset({ a: { b: 1 } }, { a: { b: '1' } }, 'output')).toEqual(['output.a.b: expected 1, but it is "1"']);
    expect(subset({ a: 1 }, {}, 'output')).toEqual(['output.a: expected 1, but it is missing']);
    expect(differences(seen(), { output_equals: { n: 1 } })).toEqual([
      'output.list: not expected, but it is [1,{"a":1,"b":2}]',
    ]);
    expect(differences(seen(), { not_called: ['a'] })).toEqual([
      'steps.a: must not have been called, but it "completed"',
    ]);
    const failed = seen({ status: 'failed', error: { code: 'gone', message: 'no stock' } });
    expect(differences(failed)).toEqual(['status: expected completed, but it is failed ("gone": no stock)']);
    expect(differences(failed, { status: 'failed', error: { code: 'x', message: 'stock' } })).toEqual([
      'error.code: expected "x", but it is "gone"',
    ]);
    expect(differences(seen({ status: 'waiting', waiting: ['the approval ask'] }))).toEqual([
      'status: expected completed, but it is waiting for the approval ask',
    ]);
  });

  it('finds steps in loops by their paths', () => {
    const steps = [0, 1].map((n) => row({ step_id: 'book', path: `each/steps[${n}]/book`, output: { n } }));
    expect(
      differences(seen({ steps }), { steps: { 'each[1]/book': { output: { n: 1 } }, book: { count: 2 } } }),
    ).toEqual([]);
    expect(differences(seen({ steps }), { steps: { book: { output: { n: 1 } } } })).toEqual([
      'steps.book: ran 2 times; name one by its path, such as each/steps[0]/book',
    ]);
  });

  it('says of a step that reached outside nothing but that, though the workflow handled its error', () => {
    const steps = [row({ status: 'failed', error: { code: NOT_MOCKED, message: 'The step "a" would reach outside' } })];
    expect(differences(seen({ steps }), { output: { n: 2 } })).toEqual(['The step "a" would reach outside']);
  });
});

it('JUnit XML has every case, with texts that are no markup', () => {
  const xml = junitOf([
    { file: 'a.test.json', name: 'fine & well', faults: [], ms: 12 },
    { file: 'a.test.json', name: 'bad', faults: ['output: expected "<a>"', 'two\u0007'], ms: 3 },
  ]);
  expect(xml).toContain('<testsuites tests="2" failures="1" time="0.015">');
  expect(xml).toContain('<testcase name="fine &amp; well" classname="a.test.json" time="0.012"/>');
  expect(xml).toContain('<failure message="output: expected &quot;&lt;a&gt;&quot;">');
  expect(xml).toContain('two?');
});

it('the schema of test files accepts what the page shows, and names what is wrong', () => {
  const schema = compileSchema(TEST_FILE_SCHEMA);
  if (schema.kind === 'refused') throw new Error(JSON.stringify(schema.faults));
  const mocks = { a: { output: {} }, b: [{ error: { message: 'x' } }] };
  const answers = { approvals: { a: [{ approved: true }] }, forms: { a: { n: 1 } }, signals: { go: [{}] } };
  expect(schema.check({ cases: [{ name: 'x', ...answers }] }, '')).toEqual([]);
  expect(schema.check({ cases: [{ name: 'x', approvals: { a: [{}] } }] }, '').length).toBeGreaterThan(0);
  expect(schema.check({ cases: [{ name: 'x', mocks, expect: { status: 'waiting' } }] }, '')).toEqual([]);
  expect(schema.check({ cases: [{ name: 'x', expects: {} }] }, '').length).toBeGreaterThan(0);
  expect(schema.check({ cases: [{ name: 'x', mocks: { a: {} } }] }, '').length).toBeGreaterThan(0);
});
