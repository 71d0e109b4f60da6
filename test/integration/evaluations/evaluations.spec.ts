import type { ApiAnswer, Api } from '../../support/server';
import { until } from '../../support/until';
import {
  ended,
  evaluate,
  type Evaluation,
  type EvaluationSite,
  makeDataset,
  makeWorkflow,
  openSite,
  resultsOf,
  type Row,
} from './site';

let site: EvaluationSite;
let ann: Api;
let doubling: string;

/** 1 to 4: the last is expected to be wrong. */
const NUMBERS = [1, 2, 3, 4].map((n) => ({ id: `r${n}`, input: { n }, expected: n === 4 ? 9 : 2 * n }));
const EQUALS = { type: 'equals' };

beforeAll(async () => {
  site = await openSite();
  ann = site.ann;
  doubling = await makeWorkflow(ann, '{{ trigger.n * 2 }}');
}, 60_000);
afterAll(() => site?.close());

const refusal = async (body: object, api = ann) => {
  const { status, body: answer }: ApiAnswer<Row> = await api.ask('POST', '/api/v1/evaluations', body);
  return { status, code: answer.code, error: answer.error, details: answer.details };
};

/** A workflow whose runs wait until they get a signal. */
const makeWaiting = (): Promise<string> =>
  makeWorkflow(ann, 1, {
    steps: [
      { id: 'held', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'answer', type: 'set', config: { value: 1 } },
    ],
  });

const running = (flow: string): Promise<Row[]> =>
  ann.call<{ data: Row[] }>('GET', `/api/v1/executions?workflow_id=${flow}&status=running`).then(({ data }) => data);

test('a workflow runs once for each row, as a trial, and each output is scored', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS);
  const made = await evaluate(ann, {
    dataset_id,
    workflow_id: doubling,
    metrics: [EQUALS],
    gates: ['score >= 0.7', 'metrics.equals.pass_rate >= 0.8'],
  });
  expect(made).toMatchObject({
    status: 'completed',
    error: null,
    version: 'live',
    dataset_revision: 1,
    progress: { total: 4, done: 4 },
    passed: false,
    gates: [
      { gate: 'score >= 0.7', value: 0.75, passed: true },
      { gate: 'metrics.equals.pass_rate >= 0.8', value: 0.75, passed: false },
    ],
    summary: {
      rows: 4,
      passed: 3,
      score: 0.75,
      pass_rate: 0.75,
      run_failures: 0,
      errors: 0,
      metrics: [{ name: 'equals', mean: 0.75, passed: 3, errors: 0 }],
    },
  });
  const results = await resultsOf(ann, made.id);
  expect(results.map(({ row_id, output, score }) => [row_id, output, score])).toEqual([
    ['r1', 2, 1],
    ['r2', 4, 1],
    ['r3', 6, 1],
    ['r4', 8, 0],
  ]);
  expect(results[3]).toMatchObject({
    state: 'done',
    run_status: 'completed',
    input: { n: 4 },
    expected: 9,
    passed: false,
    metrics: [
      { name: 'equals', score: 0, passed: false, error: null, reason: 'the output is not equal to the expected value' },
    ],
  });
  const run = await ann.call<Row>('GET', `/api/v1/executions/${String(results[0]?.execution_id)}`);
  expect(run).toMatchObject({
    trial: true,
    trigger_type: 'trial',
    workflow_def_id: doubling,
    input: { n: 1 },
    output: 2,
  });
  expect((await ann.call<Row>('GET', `/api/v1/workflows/${doubling}/health`)).total).toBe(0);
});

test('the rows are evaluated as they were when the evaluation began', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 2));
  const flow = await makeWaiting();
  const { id } = await ann.call<Evaluation>('POST', '/api/v1/evaluations', {
    dataset_id,
    workflow_id: flow,
    metrics: [EQUALS],
  });
  await until('both rows run', async () => (await running(flow)).length === 2);
  await ann.call('PUT', `/api/v1/datasets/${dataset_id}/rows/r1`, { input: 'changed', expected: 'changed' });
  await ann.call('DELETE', `/api/v1/datasets/${dataset_id}/rows/r2`);
  for (const run of await running(flow))
    await ann.call('POST', `/api/v1/executions/${String(run.id)}/signal`, { signal: 'go' });
  expect(await ended(ann, id)).toMatchObject({ status: 'completed', dataset_revision: 1 });
  expect((await resultsOf(ann, id)).map(({ input, expected }) => [input, expected])).toEqual([
    [{ n: 1 }, 2],
    [{ n: 2 }, 4],
  ]);
});

test('the draft, and a version, are evaluated as they are', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 1));
  const flow = await makeWorkflow(ann, 'live');
  const { dsl } = await ann.call<{ dsl: Row }>('GET', `/api/v1/workflows/${flow}`);
  await ann.call('POST', `/api/v1/workflows/${flow}/versions`, { message: 'first' });
  const steps = [{ id: 'answer', type: 'set', config: { value: 'draft' } }];
  await ann.call('PUT', `/api/v1/workflows/${flow}/draft`, { dsl: { ...dsl, steps } });
  const outputs: unknown[] = [];
  for (const version of [undefined, 'draft', 1]) {
    const { id } = await evaluate(ann, {
      dataset_id,
      workflow_id: flow,
      metrics: [EQUALS],
      ...(version === undefined ? {} : { version }),
    });
    outputs.push((await resultsOf(ann, id))[0]?.output);
  }
  expect(outputs).toEqual(['live', 'draft', 'live']);
  expect(await refusal({ dataset_id, workflow_id: flow, metrics: [EQUALS], version: 7 })).toMatchObject({
    status: 404,
    code: 'not_found',
  });
});

test('steps that write do not run, unless that is allowed; pins take their place', async () => {
  const dataset_id = await makeDataset(ann, [{ id: 'a', input: {} }]);
  const flow = await makeWorkflow(ann, '{{ steps.write }}', {
    steps: [
      { id: 'write', type: 'file_write', config: { path: 'a.txt', content: 'a' } },
      { id: 'answer', type: 'set', config: { value: '{{ steps.write }}' } },
    ],
  });
  const asked = { dataset_id, workflow_id: flow, metrics: [{ type: 'expression', expression: 'true' }] };
  const outputOf = async (more: object) => {
    const made = await evaluate(ann, { ...asked, ...more });
    return { suppressed: made.suppressed, pinned: made.pinned, output: (await resultsOf(ann, made.id))[0]?.output };
  };
  expect(await outputOf({})).toMatchObject({ suppressed: ['write'], pinned: [] });
  expect(await outputOf({ writes: 'allow' })).toMatchObject({ suppressed: [], output: { path: 'a.txt' } });
  expect(await outputOf({ writes: 'pinned', pins: { write: { path: 'pinned' } } })).toEqual({
    suppressed: [],
    pinned: ['write'],
    output: { path: 'pinned' },
  });
  expect(await refusal({ ...asked, writes: 'pinned' })).toMatchObject({
    status: 400,
    error: expect.stringMatching(/have no pin: write; give their outputs in "pins"/),
    details: [{ path: 'pins.write', message: 'is missing' }],
  });
  expect((await refusal({ ...asked, pins: { other: {} } })).details).toContainEqual(
    expect.objectContaining({ path: 'pins.other' }),
  );
});

test('a run that fails, and a row that the workflow refuses, have the score 0 with the reason', async () => {
  const dataset_id = await makeDataset(ann, [
    { id: 'bad', input: { n: 'x' }, expected: 1 },
    { id: 'none', input: { other: 1 } },
    { id: 'good', input: { n: 2 }, expected: 4 },
  ]);
  const flow = await makeWorkflow(ann, '{{ number(trigger.n) * 2 }}', {
    inputs: { type: 'object', properties: { n: {} }, required: ['n'] },
  });
  const metrics = [
    EQUALS,
    { type: 'expression', name: 'fails', expression: 'run.status == "failed"' },
    { type: 'latency', max_ms: 60_000 },
  ];
  const made = await evaluate(ann, { dataset_id, workflow_id: flow, metrics });
  expect(made.summary).toMatchObject({ rows: 3, run_failures: 2, errors: 2, passed: 0 });
  const [bad, none, good] = await resultsOf(ann, made.id);
  expect(bad).toMatchObject({ run_status: 'failed', output: null, passed: false });
  expect(bad?.metrics[0]).toMatchObject({ score: 0, error: expect.stringMatching(/^the run did not complete: /) });
  expect(bad?.metrics[1]).toMatchObject({ name: 'fails', score: 1, error: null });
  expect(none).toMatchObject({ run_status: 'refused', execution_id: null, run_error: expect.stringMatching(/n/) });
  expect(good).toMatchObject({ run_status: 'completed', output: 4 });
  const failed = await resultsOf(ann, made.id, '&outcome=error');
  expect(failed.map(({ row_id }) => row_id)).toEqual(['bad', 'none']);
});

test('results are chosen by outcome and metric, and ordered by score', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS);
  const metrics = [EQUALS, { type: 'expression', name: 'share', expression: 'output / 8' }];
  const { id } = await evaluate(ann, { dataset_id, workflow_id: doubling, metrics });
  const idsOf = async (query: string) => (await resultsOf(ann, id, query)).map(({ row_id }) => row_id);
  expect(await idsOf('&outcome=passed')).toEqual(['r2', 'r3']);
  expect(await idsOf('&outcome=failed')).toEqual(['r1', 'r4']);
  expect(await idsOf('&failed_metric=share')).toEqual(['r1']);
  expect(await idsOf('&sort=score')).toEqual(['r4', 'r1', 'r2', 'r3']);
  expect(await idsOf('&sort=-score')).toEqual(['r3', 'r2', 'r1', 'r4']);
  const paged: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = await ann.call<{ data: Row[]; next_cursor: string | null }>(
      'GET',
      `/api/v1/evaluations/${id}/results?sort=score&limit=3${cursor}`,
    );
    paged.push(...page.data.map(({ row_id }) => row_id));
    if (page.next_cursor === null) break;
    cursor = `&cursor=${page.next_cursor}`;
  }
  expect(paged).toEqual(['r4', 'r1', 'r2', 'r3']);
});

test('only rows with the tag are evaluated', async () => {
  const dataset_id = await makeDataset(ann, [
    { id: 'a', input: { n: 1 }, tags: ['small'] },
    { id: 'b', input: { n: 2 } },
  ]);
  const made = await evaluate(ann, { dataset_id, workflow_id: doubling, metrics: [EQUALS], tag: 'small' });
  expect((await resultsOf(ann, made.id)).map(({ row_id }) => row_id)).toEqual(['a']);
  expect((await refusal({ dataset_id, workflow_id: doubling, metrics: [EQUALS], tag: 'other' })).error).toMatch(
    /no rows with the tag other/,
  );
});

test('a cancelled evaluation cancels its runs, keeps its results, and can be continued', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS);
  const flow = await makeWaiting();
  const { id } = await ann.call<Evaluation>('POST', '/api/v1/evaluations', {
    dataset_id,
    workflow_id: flow,
    metrics: [EQUALS],
    concurrency: 2,
  });
  const [first] = await until('two rows run', async () => {
    const runs = await running(flow);
    return runs.length === 2 ? runs : null;
  });
  await ann.call('POST', `/api/v1/executions/${String(first?.id)}/signal`, { signal: 'go' });
  await until('one row is done', async () => (await resultsOf(ann, id)).some(({ state }) => state === 'done'));
  expect((await ann.ask('POST', `/api/v1/evaluations/${id}/cancel`)).status).toBe(202);
  expect(await ended(ann, id)).toMatchObject({ status: 'cancelled', progress: { total: 4, done: 1 } });
  const results = await resultsOf(ann, id);
  expect(results.filter(({ state }) => state === 'cancelled')).toHaveLength(3);
  await until('no run goes on', async () => (await running(flow)).length === 0);
  expect((await ann.ask<Row>('POST', `/api/v1/evaluations/${id}/cancel`)).body).toMatchObject({
    code: 'conflict',
    error: expect.stringMatching(/has ended \(cancelled\)/),
  });

  expect((await ann.ask('POST', `/api/v1/evaluations/${id}/rerun-failed`)).status).toBe(202);
  const seen = new Set<unknown>();
  await until('all rows have run', async () => {
    for (const run of await running(flow)) {
      await ann.ask('POST', `/api/v1/executions/${String(run.id)}/signal`, { signal: 'go' });
      seen.add(run.id);
    }
    return (await ann.call<Evaluation>('GET', `/api/v1/evaluations/${id}`)).status === 'completed';
  });
  expect(seen.size).toBe(3);
  const again = await resultsOf(ann, id);
  expect(again.map(({ attempt }) => Number(attempt)).toSorted((x, y) => x - y)).toEqual([1, 2, 2, 2]);
}, 40_000);

test('rows that failed run again, and the others keep their results', async () => {
  const dataset_id = await makeDataset(ann, [
    { id: 'a', input: {}, expected: 1 },
    { id: 'b', input: {} },
  ]);
  const flow = await makeWorkflow(ann, '{{ vars.answer }}');
  await ann.call('PUT', '/api/v1/variables/answer', { value: 1 });
  const metrics = [{ type: 'expression', expression: 'output / expected > 0' }];
  const made = await evaluate(ann, { dataset_id, workflow_id: flow, metrics });
  expect(made.summary).toMatchObject({ errors: 1, passed: 1 });
  const before = await resultsOf(ann, made.id);
  await ann.call('POST', `/api/v1/evaluations/${made.id}/rerun-failed`);
  expect(await ended(ann, made.id)).toMatchObject({ status: 'completed', summary: { rows: 2, errors: 1 } });
  const after = await resultsOf(ann, made.id);
  expect(after[0]?.execution_id).toBe(before[0]?.execution_id);
  expect(after[1]?.execution_id).not.toBe(before[1]?.execution_id);
  expect(after[1]).toMatchObject({ attempt: 2, metrics: [{ score: 0, error: expect.any(String) }] });
});

test('a run that takes too long is cancelled', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 1));
  const flow = await makeWaiting();
  const made = await evaluate(ann, { dataset_id, workflow_id: flow, metrics: [EQUALS], row_timeout_seconds: 1 });
  expect(made).toMatchObject({ status: 'completed', summary: { run_failures: 1, score: 0 } });
  expect((await resultsOf(ann, made.id))[0]).toMatchObject({
    run_status: 'timed_out',
    run_error: expect.stringMatching(/longer than 1 s; give the evaluation a higher "row_timeout_seconds"/),
  });
  expect(await running(flow)).toEqual([]);
});

test('evaluations are listed, newest first, by workflow, data set and status', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 1));
  const flow = await makeWorkflow(ann, 1);
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three'])
    ids.unshift((await evaluate(ann, { name, dataset_id, workflow_id: flow, metrics: [EQUALS] })).id);
  const listed = async (query: string) =>
    ann.call<{ data: Evaluation[]; next_cursor: string | null }>('GET', `/api/v1/evaluations?${query}`);
  expect((await listed(`workflow_id=${flow}`)).data.map(({ id }) => id)).toEqual(ids);
  expect((await listed(`dataset_id=${dataset_id}&status=failed`)).data).toEqual([]);
  const first = await listed(`workflow_id=${flow}&limit=2`);
  const second = await listed(`workflow_id=${flow}&limit=2&cursor=${String(first.next_cursor)}`);
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
  expect(second.next_cursor).toBeNull();
});

test('an evaluation is deleted with its results; a data set only with its evaluations', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 1));
  const asked = { dataset_id, workflow_id: doubling, metrics: [EQUALS] };
  const { id } = await evaluate(ann, asked);
  await evaluate(ann, asked);
  expect((await ann.ask('DELETE', `/api/v1/evaluations/${id}`)).status).toBe(204);
  expect((await ann.ask('GET', `/api/v1/evaluations/${id}/results`)).status).toBe(404);
  const refused = await ann.ask<Row>('DELETE', `/api/v1/datasets/${dataset_id}`);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringMatching(/used by an evaluation; force=true deletes them, too/),
  ]);
  expect((await ann.ask('DELETE', `/api/v1/datasets/${dataset_id}?force=true`)).status).toBe(204);
  expect((await ann.call<{ data: Row[] }>('GET', `/api/v1/evaluations?dataset_id=${dataset_id}`)).data).toEqual([]);
});

test('one that has not ended is not deleted', async () => {
  const dataset_id = await makeDataset(ann, NUMBERS.slice(0, 1));
  const { id } = await ann.call<Evaluation>('POST', '/api/v1/evaluations', {
    dataset_id,
    workflow_id: await makeWaiting(),
    metrics: [EQUALS],
  });
  for (const path of [`/api/v1/evaluations/${id}`, `/api/v1/datasets/${dataset_id}?force=true`])
    expect((await ann.ask<Row>('DELETE', path)).body).toMatchObject({
      code: 'conflict',
      error: expect.stringMatching(/wait for its end, or cancel it/),
    });
  expect((await ann.ask<Row>('POST', `/api/v1/evaluations/${id}/rerun-failed`)).body.code).toBe('conflict');
  await ann.call('POST', `/api/v1/evaluations/${id}/cancel`);
  await ended(ann, id);
});

test('two evaluations over the same rows are compared', async () => {
  const rows = Array.from({ length: 40 }, (_, n) => ({ id: `r${n}`, input: { n }, expected: 2 * n }));
  const dataset_id = await makeDataset(ann, rows);
  const worse = await makeWorkflow(ann, '{{ trigger.n < 20 ? trigger.n * 2 : trigger.n < 30 ? -1 : trigger.n * 2 }}');
  const a = await evaluate(ann, {
    dataset_id,
    workflow_id: worse,
    metrics: [EQUALS, { type: 'latency', max_ms: 60_000 }],
  });
  await ann.call('PUT', `/api/v1/datasets/${dataset_id}/rows/r0`, { input: { n: 1 }, expected: 2 });
  const b = await evaluate(ann, { dataset_id, workflow_id: doubling, metrics: [EQUALS] });
  const compared = await ann.call<Row>('GET', `/api/v1/evaluations/${a.id}/compare/${b.id}?limit=3`);
  expect(compared).toMatchObject({
    a: { id: a.id },
    b: { id: b.id },
    pairs: 39,
    unpaired: 2,
    metrics: [
      { name: 'score' },
      { name: 'equals', pass_rate_b: 1, only_a_passed: 0, only_b_passed: 10, p_passes: 0.001953, significant: true },
    ],
    better: { total: 10 },
    worse: { total: 0, rows: [] },
  });
  expect((compared.better as { rows: Row[] }).rows).toHaveLength(3);
  const other = await evaluate(ann, {
    dataset_id: await makeDataset(ann, NUMBERS),
    workflow_id: doubling,
    metrics: [EQUALS],
  });
  const { status, body } = await ann.ask<Row>('GET', `/api/v1/evaluations/${a.id}/compare/${other.id}`);
  expect([status, body.code]).toEqual([409, 'conflict']);
});

describe('an evaluation is refused', () => {
  let dataset_id: string;
  beforeAll(async () => {
    dataset_id = await makeDataset(ann, NUMBERS);
  });

  test.each<[string, object, string, RegExp]>([
    ['without metrics', { metrics: [] }, 'metrics', /1/],
    ['with an unknown type of metric', { metrics: [{ type: 'same' }] }, 'metrics[0].type', /must be one of equals/],
    [
      'with a misspelt field',
      { metrics: [{ type: 'number', tolerence: 1 }] },
      'metrics[0].tolerence',
      /there are .*tolerance/,
    ],
    [
      'with a threshold above 1',
      { metrics: [{ type: 'equals', threshold: 2 }] },
      'metrics[0].threshold',
      /from 0 to 1/,
    ],
    ['with two metrics of one name', { metrics: [EQUALS, EQUALS] }, 'metrics[1].name', /another name/],
    [
      'with a broken expression',
      { metrics: [{ type: 'expression', expression: 'output ==' }] },
      'metrics[0].expression',
      /is not an expression/,
    ],
    [
      'with an unknown name in an expression',
      { metrics: [{ type: 'equals', value: 'outptu.a' }] },
      'metrics[0].value',
      /there are input, expected, output, run/,
    ],
    [
      'with a broken script',
      { metrics: [{ type: 'code', source: 'return (' }] },
      'metrics[0].source',
      /not valid JavaScript/,
    ],
    [
      'with a broken schema',
      { metrics: [{ type: 'schema', schema: { type: 'nothing' } }] },
      'metrics[0].schema.type',
      /./,
    ],
    ['with a judge without a rubric', { metrics: [{ type: 'judge' }] }, 'metrics[0].rubric', /missing/],
    [
      'with a gate that cannot be read',
      { metrics: [EQUALS], gates: ['score is high'] },
      'gates[0]',
      /such as "score >= 0.9"/,
    ],
    [
      'with a gate of an unknown value',
      { metrics: [EQUALS], gates: ['metrics.exact.mean >= 1'] },
      'gates[0]',
      /no value metrics.exact.mean/,
    ],
    ['with too many rows at once', { metrics: [EQUALS], concurrency: 51 }, 'concurrency', /50/],
    ['with a budget of nothing', { metrics: [EQUALS], budget: { tokens: 0 } }, 'budget.tokens', /1/],
  ])('%s', async (_what, body, path, message) => {
    const { status, code, details } = await refusal({ dataset_id, workflow_id: doubling, ...body });
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(details).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(message) }));
  });

  test('of an empty data set', async () =>
    expect(
      (await refusal({ dataset_id: await makeDataset(ann), workflow_id: doubling, metrics: [EQUALS] })).error,
    ).toMatch(/has no rows; add some first/));

  test("of another tenant's workflow or data set", async () => {
    const own = await makeDataset(site.bob, NUMBERS);
    expect((await refusal({ dataset_id: own, workflow_id: doubling, metrics: [EQUALS] }, site.bob)).code).toBe(
      'not_found',
    );
    expect((await refusal({ dataset_id, workflow_id: doubling, metrics: [EQUALS] }, site.bob)).code).toBe('not_found');
  });

  test('to members of tenants that require approval, unless the live document is approved', async () => {
    const flow = await makeWorkflow(ann, 1);
    const { dsl } = await ann.call<{ dsl: Row }>('GET', `/api/v1/workflows/${flow}`);
    await ann.call('PUT', `/api/v1/workflows/${flow}/draft`, { dsl: { ...dsl, name: 'other' } });
    await ann.call('PUT', '/api/v1/tenant/settings', { require_approval: true });
    const asked = { dataset_id, workflow_id: flow, metrics: [EQUALS] };
    for (const more of [{ version: 'draft' }, { pins: { answer: { value: 2 } } }])
      expect(await refusal({ ...asked, ...more }, site.member)).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await evaluate(site.member, asked)).status).toBe('completed');
    await ann.call('PUT', '/api/v1/tenant/settings', { require_approval: false });
  });
});
