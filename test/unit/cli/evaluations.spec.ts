import { exitOf, share, show } from '../../../cli/evaluations';
import { runProgram } from '../../../cli/program';
import type { Session } from '../../../cli/session';
import { Terminal } from '../../../cli/terminal';
import type { World } from '../../../cli/world';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveFrom } from './support';

const evaluation = (more: object = {}) => ({
  id: 'e1',
  name: 'Nightly',
  status: 'completed',
  error: null,
  passed: true,
  progress: { done: 2, total: 2 },
  summary: {
    score: 0.5,
    passed: 1,
    run_failures: 0,
    errors: 1,
    tokens: 7,
    cost_usd: 0.01,
    metrics: [{ name: 'exact', mean: 0.5, pass_rate: 0.5, errors: 1 }],
  },
  gates: [{ gate: 'score >= 0.4', value: 0.5, passed: true }],
  ...more,
});

test.each([
  [{}, 'ok'],
  [{ passed: null }, 'ok'],
  [{ passed: false }, 'no'],
  [{ status: 'cancelled' }, 'no'],
  [{ status: 'budget_exceeded', passed: null }, 'no'],
])('an evaluation with %j ends with %s', (more, exit) => expect(exitOf(evaluation(more))).toBe(exit));

test('an evaluation is shown with its scores and gates', () => {
  let out = '';
  const terminal = new Terminal((text) => (out += text), { colours: false, live: false });
  show(
    { world: { out: terminal } } as Session,
    evaluation({ status: 'failed', error: 'Quota\u001b[2J', passed: false }),
  );
  expect(out).toBe(
    [
      'Nightly  failed',
      'error: Quota\\x1b[2J',
      '2 of 2 rows, 1 passed, 0 runs failed, 1 with errors',
      'score 50.0%, 7 tokens, $0.01',
      'METRIC  MEAN   PASSED  ERRORS',
      'exact   50.0%  50.0%   1',
      'gate passed: score >= 0.4 (0.5)',
      '',
    ].join('\n'),
  );
  expect([share(null), share(1)]).toEqual(['-', '100.0%']);
});

describe('eval run', () => {
  const home = mkdtempSync(join(tmpdir(), 'everstep-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const output = { out: '', err: '' };
  const look = { colours: false, live: false };
  const worldOf = (url: string): World => ({
    env: { EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' },
    home,
    cwd: home,
    out: new Terminal((text) => (output.out += text), look),
    err: new Terminal((text) => (output.err += text), look),
    signal: new AbortController().signal,
    now: () => 0,
    readAll: async () => '',
    ask: async () => null,
    browse: () => undefined,
  });
  const write = (body: unknown): string => {
    writeFileSync(join(home, 'eval.json'), JSON.stringify(body));
    return 'eval.json';
  };

  test('finds workflow and data set by name, waits through a restart, and fails with its gates', async () => {
    const sent: unknown[] = [];
    let asked = 0;
    const answers: Record<string, (body: unknown) => readonly [number, object]> = {
      'GET /api/v1/workflows': () => [200, { data: [{ id: 'w1', name: 'Sorter' }], next_cursor: null }],
      'GET /api/v1/datasets': () => [200, { data: [{ id: 'd1', name: 'Mails' }] }],
      'POST /api/v1/evaluations': (body) => {
        sent.push(body);
        return [202, evaluation({ status: 'queued', passed: null })];
      },
      'GET /api/v1/evaluations/e1': () => {
        asked += 1;
        return asked === 1 ? [503, { error: 'restarting', code: 'unavailable' }] : [200, evaluation({ passed: false })];
      },
    };
    await serveFrom(answers, async (url) => {
      const file = write({ workflow: 'Sorter', dataset: 'Mails', metrics: [{ type: 'equals' }], concurrency: 3 });
      expect(await runProgram(['eval', 'run', file, '--wait', '--version', '7'], worldOf(url))).toBe('no');
    });
    expect(sent).toEqual([
      { workflow_id: 'w1', dataset_id: 'd1', metrics: [{ type: 'equals' }], concurrency: 3, version: 7 },
    ]);
    expect(output.out).toContain('Nightly  gates failed');
  });

  test.each([
    ['no data set', { workflow: 'Sorter', metrics: [] }, 'usage', /the dataset is missing: give --dataset/],
    ['a list', [], 'usage', /must be a JSON object/],
    ['an unknown data set', { workflow: 'Sorter', dataset: 'Other' }, 'not_found', /no data set "Other"/],
  ])('is refused for a file with %s', async (_what, body, exit, message) => {
    output.err = '';
    const answers = {
      'GET /api/v1/workflows': () => [200, { data: [{ id: 'w1', name: 'Sorter' }], next_cursor: null }] as const,
      'GET /api/v1/datasets': () => [200, { data: [] }] as const,
    };
    await serveFrom(answers, async (url) => {
      expect(await runProgram(['eval', 'run', write(body)], worldOf(url))).toBe(exit);
    });
    expect(output.err).toMatch(message);
  });

  test('dataset export takes pages that are shorter than asked for', async () => {
    output.out = '';
    const pages = [
      { data: [{ id: 'a', input: 1 }], next_cursor: 'n' },
      { data: [{ id: 'b', input: 2 }], next_cursor: null },
    ];
    const answers = {
      'GET /api/v1/datasets': () => [200, { data: [{ id: 'd1', name: 'Mails' }] }] as const,
      'GET /api/v1/datasets/d1/rows': () => [200, pages.shift() ?? {}] as const,
    };
    await serveFrom(answers, async (url) => {
      expect(await runProgram(['dataset', 'export', 'Mails'], worldOf(url))).toBe('ok');
    });
    expect(output.out).toBe('{"id":"a","input":1}\n{"id":"b","input":2}\n');
  });
});
