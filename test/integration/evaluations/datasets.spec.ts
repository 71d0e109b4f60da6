import { evaluationModels } from '../../../services/evaluations/models';
import { readRow } from '../../../services/evaluations/rules/read-row';
import { RowWriter } from '../../../services/evaluations/datasets/writer';
import { ask } from '../../support/http';
import type { ApiAnswer, Api } from '../../support/server';
import { until } from '../../support/until';
import { type EvaluationSite, makeDataset, makeWorkflow, openSite, type Row } from './site';

let site: EvaluationSite;
let ann: Api;

beforeAll(async () => {
  site = await openSite();
  ann = site.ann;
}, 60_000);
afterAll(() => site?.close());

const rowsOf = async (id: string, query = ''): Promise<Row[]> =>
  (await ann.call<{ data: Row[] }>('GET', `/api/v1/datasets/${id}/rows${query}`)).data;

const refusal = async (method: string, path: string, body?: unknown, api = ann) => {
  const { status, body: answer }: ApiAnswer<Row> = await api.ask(method, path, body);
  return { status, code: answer.code, error: answer.error, details: answer.details };
};

const send = (id: string, content: string, fields: Record<string, string> = {}, api = ann) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([content]), 'rows');
  return api.ask<Row>('POST', `/api/v1/datasets/${id}/rows/upload`, form);
};

describe('data sets', () => {
  test('are created, listed, changed and deleted', async () => {
    const made = await ann.call<Row>('POST', '/api/v1/datasets', { name: 'Questions', description: 'Of customers.' });
    expect(made).toMatchObject({ name: 'Questions', description: 'Of customers.', revision: 0, rows: 0, bytes: 0 });
    const path = `/api/v1/datasets/${String(made.id)}`;
    expect(await ann.call('PUT', path, { name: 'Asked', description: '' })).toMatchObject({
      name: 'Asked',
      description: null,
    });
    expect(await ann.call('GET', path)).toMatchObject({ id: made.id, name: 'Asked' });
    const { data } = await ann.call<{ data: Row[] }>('GET', '/api/v1/datasets?q=ASK');
    expect(data.map(({ id }) => id)).toEqual([made.id]);
    expect((await ann.ask('DELETE', path)).status).toBe(204);
    expect((await refusal('GET', path)).code).toBe('not_found');
  });

  test('have names of their own in a tenant', async () => {
    await ann.call('POST', '/api/v1/datasets', { name: 'Taken' });
    expect(await refusal('POST', '/api/v1/datasets', { name: 'Taken' })).toMatchObject({
      status: 409,
      code: 'conflict',
    });
    const other = await makeDataset(ann);
    expect((await refusal('PUT', `/api/v1/datasets/${other}`, { name: 'Taken' })).code).toBe('conflict');
    await site.bob.call('POST', '/api/v1/datasets', { name: 'Taken' });
  });

  test('are as many as the plan allows', async () => {
    const bob = { tenant_id: site.tenants.bob, role: 'service' } as const;
    const before = (await site.bob.call<{ data: Row[] }>('GET', '/api/v1/datasets')).data.length;
    for (let n = before; n < 100; n += 1) await site.bob.call('POST', '/api/v1/datasets', { name: `set ${n}` });
    const { status, body } = await site.bob.ask<Row>('POST', '/api/v1/datasets', { name: 'one more' });
    expect([status, body.code, body.limit, body.max]).toEqual([402, 'quota_exceeded', 'datasets', 100]);
    await site.app.call('auth.set_plan', { plan: 'pro' }, bob);
    expect((await site.bob.ask('POST', '/api/v1/datasets', { name: 'one more' })).status).toBe(201);
  });
});

describe('rows', () => {
  test('are added, replaced and removed; each change is a revision, and earlier ones stay readable', async () => {
    const id = await makeDataset(ann);
    const path = `/api/v1/datasets/${id}/rows`;
    const first = await ann.call<Row>('POST', path, {
      rows: [
        { id: 'a', input: { q: 1 }, expected: 2, tags: ['easy'] },
        { input: 'text' },
        { id: 'c', input: null, expected: null },
      ],
    });
    expect(first).toMatchObject({ rows: 3, added: 3, replaced: 0, unchanged: 0 });
    const rows = await rowsOf(id);
    expect(rows[0]).toEqual({ id: 'a', input: { q: 1 }, expected: 2, tags: ['easy'] });
    expect(rows[1]).toEqual({ id: expect.any(String), input: 'text', tags: [] });
    expect(rows[2]).toEqual({ id: 'c', input: null, expected: null, tags: [] });

    const second = await ann.call<Row>('POST', path, {
      rows: [
        { id: 'a', input: { q: 9 } },
        { id: 'c', input: null, expected: null },
        { id: 'd', input: 4 },
      ],
    });
    expect(second).toMatchObject({ rows: 4, added: 1, replaced: 1, unchanged: 1 });
    expect((await rowsOf(id)).map((row) => row.input)).toEqual([{ q: 9 }, 'text', null, 4]);
    expect((await rowsOf(id, `?revision=${String(first.revision)}`)).map((row) => row.input)).toEqual([
      { q: 1 },
      'text',
      null,
    ]);

    await ann.call('PUT', `${path}/d`, { input: 5, expected: 6, tags: ['hard'] });
    expect((await ann.ask('DELETE', `${path}/c`)).status).toBe(204);
    expect((await rowsOf(id)).map((row) => row.input)).toEqual([{ q: 9 }, 'text', 5]);
    expect((await rowsOf(id, '?tag=hard')).map((row) => row.id)).toEqual(['d']);
    expect(await ann.call('GET', `/api/v1/datasets/${id}`)).toMatchObject({
      rows: 3,
      revision: Number(second.revision) + 2,
    });
    expect((await refusal('DELETE', `${path}/c`)).code).toBe('not_found');
  });

  test('that change nothing make no revision', async () => {
    const id = await makeDataset(ann, [{ id: 'a', input: 1 }]);
    const same = await ann.call('POST', `/api/v1/datasets/${id}/rows`, { rows: [{ id: 'a', input: 1 }] });
    expect(same).toMatchObject({ revision: 1, added: 0, replaced: 0, unchanged: 1 });
    await ann.call('POST', `/api/v1/datasets/${id}/rows`, { rows: [{ id: 'b', input: 1 }] });
    expect(await rowsOf(id)).toHaveLength(2);
  });

  test('are listed by cursor and by offset', async () => {
    const id = await makeDataset(
      ann,
      Array.from({ length: 120 }, (_, n) => ({ id: `r${n}`, input: n })),
    );
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await ann.call<{ data: Row[]; next_cursor: string | null }>(
        'GET',
        `/api/v1/datasets/${id}/rows?limit=50${cursor}`,
      );
      seen.push(...page.data.map((row) => row.input));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => n));
    expect((await rowsOf(id, '?limit=2&offset=117')).map((row) => row.input)).toEqual([117, 118]);
    expect((await refusal('GET', `/api/v1/datasets/${id}/rows?cursor=x`)).code).toBe('invalid_request');
  });

  test('have tags, which are counted in the newest revision', async () => {
    const tagged = (id: string, tags: string[]) => ({ id, input: 1, tags });
    const many = Array.from({ length: 500 }, (_, n) => tagged(`m${n}`, ['many']));
    const id = await makeDataset(ann, many);
    const path = `/api/v1/datasets/${id}`;
    await ann.call('POST', `${path}/rows`, {
      rows: [tagged('a', ['b', 'many', 'many']), tagged('b', ['b', 'a']), tagged('c', ['a']), tagged('d', ['gone'])],
    });
    await ann.call('PUT', `${path}/rows/d`, { input: 1 });
    const { tags } = await ann.call<{ tags: Row[] }>('GET', `${path}/tags`);
    expect(tags).toEqual([
      { tag: 'many', rows: 501 },
      { tag: 'a', rows: 2 },
      { tag: 'b', rows: 2 },
    ]);
    const most = Array.from({ length: 15 }, (_, n) =>
      tagged(
        `t${n}`,
        Array.from({ length: 20 }, (__, m) => `t${n}-${m}`),
      ),
    );
    await ann.call('POST', `${path}/rows`, { rows: most });
    expect((await ann.call<{ tags: Row[] }>('GET', `${path}/tags`)).tags).toHaveLength(200);
    expect((await refusal('GET', `/api/v1/datasets/none/tags`)).code).toBe('not_found');
  });

  test('are sent as one file of JSON lines', async () => {
    const id = await makeDataset(
      ann,
      Array.from({ length: 450 }, (_, n) => ({ id: `r${n}`, input: { n } })),
    );
    for (const request of [
      { line: `GET /api/v1/datasets/${id}/rows?format=jsonl`, headers: { accept: 'application/json' } },
      { line: `GET /api/v1/datasets/${id}/rows`, headers: { accept: 'application/x-ndjson' } },
    ] as const) {
      const response = await fetch(site.app.url + request.line.slice(4), {
        headers: { authorization: `Bearer ${ann.token}`, ...request.headers },
      });
      expect(response.headers.get('content-type')).toBe('application/x-ndjson');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="rows-.*\.jsonl"$/);
      const lines = (await response.text()).trimEnd().split('\n');
      expect(lines).toHaveLength(450);
      expect(JSON.parse(lines[449] as string)).toEqual({ id: 'r449', input: { n: 449 }, tags: [] });
    }
    const odd = await ask(site.app, `GET /api/v1/datasets/${id}/rows?format=csv`, { token: ann.token });
    expect([odd.status, odd.body.code]).toEqual([400, 'invalid_request']);
  });

  test.each<[string, unknown, string, RegExp]>([
    ['no list', { rows: 'x' }, 'rows', /array/],
    ['no rows', { rows: [] }, 'rows', /at least 1|greater/],
    ['501 rows', { rows: Array.from({ length: 501 }, () => ({ input: 1 })) }, 'rows', /500/],
    ['a row without input', { rows: [{ input: 1 }, { expected: 1 }] }, 'rows[1].input', /missing/],
    ['a misspelt member', { rows: [{ input: 1, expectd: 1 }] }, 'rows[0].expectd', /not a member of rows/],
    ['an id that no path could have', { rows: [{ id: 'a/b', input: 1 }] }, 'rows[0].id', /without control characters/],
    [
      'an id twice',
      {
        rows: [
          { id: 'a', input: 1 },
          { id: 'a', input: 2 },
        ],
      },
      'rows[1].id',
      /rows\[0\]/,
    ],
    ['tags that are none', { rows: [{ input: 1, tags: 'x' }] }, 'rows[0].tags', /texts/],
    ['a row that is too large', { rows: [{ input: 'x'.repeat(65_537) }] }, 'rows[0]', /65536 are allowed/],
  ])('%s is refused with the path and the remedy', async (_what, body, path, message) => {
    const id = await makeDataset(ann);
    const { status, code, details } = await refusal('POST', `/api/v1/datasets/${id}/rows`, body);
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(details).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(message) }));
    expect(await rowsOf(id)).toEqual([]);
  });

  test('are 10,000 at most', async () => {
    const id = await makeDataset(ann);
    const lines = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ id: `r${n}`, input: n })).join('\n');
    expect((await send(id, lines)).body).toMatchObject({ rows: 10_000, added: 10_000 });
    const { status, code, error } = await refusal('POST', `/api/v1/datasets/${id}/rows`, { rows: [{ input: 1 }] });
    expect([status, code]).toEqual([402, 'quota_exceeded']);
    expect(error).toMatch(/at most 10000 rows; use several data sets/);
    expect((await ann.ask('PUT', `/api/v1/datasets/${id}/rows/r1`, { input: 'replaced' })).status).toBe(200);
    expect((await send(id, `${lines}\n${JSON.stringify({ input: 1 })}`)).status).toBe(400);
  }, 60_000);
});

describe('an uploaded file', () => {
  test('is CSV with a header: cells that are JSON are taken as JSON, columns with a dot make objects', async () => {
    const id = await makeDataset(ann);
    const csv =
      'id,input.question,input.n,expected,tags\na,"What, exactly?",3,"{""label"":""x""}","easy, short"\nb,007,true,,\n';
    expect((await send(id, csv)).body).toMatchObject({ added: 2 });
    expect(await rowsOf(id)).toEqual([
      { id: 'a', input: { question: 'What, exactly?', n: 3 }, expected: { label: 'x' }, tags: ['easy', 'short'] },
      { id: 'b', input: { question: '007', n: true }, tags: [] },
    ]);
  });

  test('is CSV whose columns are named by the request', async () => {
    const id = await makeDataset(ann);
    const columns = JSON.stringify({ Question: 'input.question', Answer: 'expected' });
    await send(id, 'Question,Answer\nWhy?,Because\n', { columns });
    expect(await rowsOf(id)).toEqual([
      { id: expect.any(String), input: { question: 'Why?' }, expected: 'Because', tags: [] },
    ]);
  });

  test.each([
    [
      'a JSON list',
      JSON.stringify([
        { id: 'a', input: 1 },
        { id: 'b', input: 2 },
      ]),
    ],
    [
      'JSON lines, with a byte order mark and an empty line',
      '\ufeff{"id":"a","input":1}\r\n\r\n{"id":"b","input":2}\n',
    ],
    ['an export', '{"id":"a","input":1,"tags":[]}\n{"id":"b","input":2,"tags":[]}\n'],
  ])('is %s', async (_what, content) => {
    const id = await makeDataset(ann);
    expect((await send(id, content)).body).toMatchObject({ added: 2 });
    expect((await rowsOf(id)).map(({ id: row, input }) => [row, input])).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  test.each<[string, string, Record<string, string>, string, RegExp]>([
    ['empty', '', {}, 'file', /empty/],
    ['a header alone', 'id,input\n', {}, '', /x/],
    ['CSV with an unknown column', 'question\nx\n', {}, 'columns[0]', /name the column/],
    ['CSV with a short row', 'id,input\na\n', {}, 'rows[0]', /1 cells, but there are 2 columns/],
    ['CSV with an open quote', 'input\n"x\n', {}, 'file', /line 2 is never closed/],
    ['JSON that is broken', '[{"input":1}', {}, 'file', /not valid JSON/],
    ['a JSON object as JSON', '{"a":1}', { format: 'json' }, 'file', /must be a JSON list/],
    ['JSON lines with a broken one', '{"input":1}\n{"input"', {}, 'rows[1]', /not valid JSON/],
    ['a row without input', '[{"expected":1}]', {}, 'rows[0].input', /missing/],
    ['a format that is none', '[]', { format: 'xml' }, 'format', /csv,json,jsonl|csv, json, jsonl/],
  ])('that is %s is refused', async (what, content, fields, path, message) => {
    const id = await makeDataset(ann);
    const { status, body } = await send(id, content, fields);
    if (what === 'a header alone') {
      expect([status, body.added]).toEqual([200, 0]);
      return;
    }
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.details).toContainEqual(expect.objectContaining({ path, message: expect.stringMatching(message) }));
    expect(await rowsOf(id)).toEqual([]);
  });

  test('is at most 16 MiB', async () => {
    const id = await makeDataset(ann);
    const { status, body } = await send(id, 'x'.repeat(17 * 1024 * 1024));
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('rows from runs', () => {
  test('have the inputs of completed runs, and their outputs as expected', async () => {
    const flow = await makeWorkflow(ann, '{{ trigger.body.n * 2 }}', {
      steps: [{ id: 'answer', type: 'set', config: { value: '{{ trigger.body.n * 2 }}' } }],
    });
    const runs: string[] = [];
    for (const n of [1, 2, 3]) {
      const { execution_id } = await ann.call<{ execution_id: string }>('POST', `/webhooks/${flow}`, { n });
      runs.push(execution_id);
    }
    const failed = await ann.call<{ execution_id: string }>('POST', `/webhooks/${flow}`, { n: 'x' });
    await until('the runs have ended', async () => {
      const { data } = await ann.call<{ data: Row[] }>('GET', `/api/v1/executions?workflow_id=${flow}`);
      return data.length === 4 && data.every(({ status }) => status !== 'running');
    });
    const id = await makeDataset(ann);
    const path = `/api/v1/datasets/${id}/rows/from-runs`;
    const made = await ann.call<Row>('POST', path, { query: `WorkflowType = "${flow}"`, tags: ['real'] });
    expect(made).toMatchObject({
      added: 3,
      skipped: [{ execution_id: failed.execution_id, reason: 'the run is failed, not completed' }],
    });
    const rows = await rowsOf(id);
    expect(rows.find((row) => row.id === runs[1])).toEqual({
      id: runs[1],
      input: { n: 2 },
      expected: 4,
      tags: ['real'],
    });

    await ann.call('POST', `/api/v1/executions/${runs[2]}/steps/answer/feedback`, { rating: 'up' });
    const rated = await makeDataset(ann);
    const chosen = await ann.call<Row>('POST', `/api/v1/datasets/${rated}/rows/from-runs`, {
      execution_ids: [...runs, '00000000-0000-4000-8000-000000000000'],
      rating: 'up',
      take: 'trigger',
      expected: 'none',
    });
    expect(chosen).toMatchObject({ added: 1 });
    expect(await rowsOf(rated)).toEqual([
      { id: runs[2], input: expect.objectContaining({ body: { n: 3 } }), tags: [] },
    ]);
  });

  test('need either a query or ids, and a query that can be read', async () => {
    const path = `/api/v1/datasets/${await makeDataset(ann)}/rows/from-runs`;
    expect((await refusal('POST', path, {})).error).toBe("Give either 'query' or 'execution_ids'");
    expect((await refusal('POST', path, { query: 'Wrong = 1' })).code).toBe('invalid_query');
  });

  test("take nothing of another tenant's runs", async () => {
    const flow = await makeWorkflow(ann, 1);
    const { execution_id } = await ann.call<{ execution_id: string }>('POST', `/webhooks/${flow}`, {});
    const id = await makeDataset(site.bob);
    const made = await site.bob.call('POST', `/api/v1/datasets/${id}/rows/from-runs`, {
      execution_ids: [execution_id],
    });
    expect(made).toMatchObject({ added: 0, skipped: [{ execution_id, reason: 'there is no such run' }] });
  });
});

describe('a change that its process did not complete', () => {
  const rowIn = (id: string, input: unknown) => {
    const row = readRow({ id, input }, 'row');
    if (Array.isArray(row)) throw new Error('not a row');
    return row as Exclude<typeof row, readonly unknown[]>;
  };

  test('is seen by no reader, and the next change removes what it wrote', async () => {
    const id = await makeDataset(ann, [
      { id: 'a', input: 1 },
      { id: 'b', input: 2 },
    ]);
    const models = evaluationModels(site.app.app.db);
    const { clock } = site.app.app;
    // The process dies before the last write, which makes the change visible.
    const broken = new RowWriter(
      {
        rows: models.rows,
        datasets: Object.create(models.datasets, {
          findOneAndUpdate: {
            value: (...given: Parameters<typeof models.datasets.findOneAndUpdate>) => {
              if (JSON.stringify(given[1]).includes('"revision"')) throw new Error('the process is killed');
              return models.datasets.findOneAndUpdate(...given);
            },
          },
        }) as typeof models.datasets,
      },
      clock,
    );
    await expect(broken.put(site.tenants.ann, id, [rowIn('a', 'new'), rowIn('c', 3)])).rejects.toThrow('killed');
    const inputs = async () => (await rowsOf(id)).map((row) => row.input);
    expect(await inputs()).toEqual([1, 2]);
    expect((await refusal('POST', `/api/v1/datasets/${id}/rows`, { rows: [{ id: 'd', input: 4 }] })).code).toBe(
      'conflict',
    );
    await models.datasets.updateOne({ _id: id }, { $set: { writer_until: new Date(0) } });
    await ann.call('POST', `/api/v1/datasets/${id}/rows`, { rows: [{ id: 'd', input: 4 }] });
    expect(await inputs()).toEqual([1, 2, 4]);
    expect(await models.rows.countDocuments({ dataset_id: id })).toBe(3);
  }, 30_000);

  test('cannot become visible later, when another one has taken its place', async () => {
    const id = await makeDataset(ann, [{ id: 'a', input: 1 }]);
    const models = evaluationModels(site.app.app.db);
    await models.datasets.updateOne(
      { _id: id },
      { $set: { writer: 'dead', writer_change: 2, last_change: 2, writer_until: new Date(0) } },
    );
    await ann.call('PUT', `/api/v1/datasets/${id}/rows/b`, { input: 2 });
    // The late writes of the other process.
    await models.rows.updateOne({ dataset_id: id, row_id: 'a' }, { $set: { to: 2 } });
    await models.rows.create({
      _id: 'late',
      tenant_id: site.tenants.ann,
      dataset_id: id,
      row_id: 'c',
      n: 9,
      from: 2,
      to: Number.MAX_SAFE_INTEGER,
      input: '9',
      bytes: 1,
    });
    expect((await rowsOf(id)).map((row) => row.id)).toEqual(['a', 'b']);
  });

  test('two changes at the same time are made one after the other', async () => {
    const id = await makeDataset(ann);
    const rows = Array.from({ length: 8 }, (_, n) => ({ id: `r${n}`, input: n }));
    await Promise.all(rows.map((row) => ann.call('POST', `/api/v1/datasets/${id}/rows`, { rows: [row] })));
    expect(new Set((await rowsOf(id)).map((row) => row.id)).size).toBe(8);
    expect(await ann.call('GET', `/api/v1/datasets/${id}`)).toMatchObject({ rows: 8, revision: 8 });
  });
});
