import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from '../e2e/support/installation';
import { createWorkflow } from '../e2e/support/runs';

const ROWS = 1_000;
/** Rows that are done before each kill, in shares of all: the work is under way each time. */
const KILLS = [0.1, 0.4, 0.7];

interface Evaluation {
  readonly id: string;
  readonly status: string;
  readonly progress: { readonly done: number };
  readonly summary: { readonly rows: number; readonly passed: number; readonly score: number };
}

interface Result {
  readonly row_id: string;
  readonly execution_id: string;
  readonly state: string;
  readonly output: unknown;
  readonly attempt: number;
}

let installation: Installation;
let owner: Api;

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  owner = new Api(installation.url);
  await owner.register('evaluations');
}, 60_000);

afterAll(() => installation?.remove());

/** All rows of a list, page by page. */
async function all<T>(path: string): Promise<T[]> {
  const rows: T[] = [];
  for (let cursor = ''; ; ) {
    const page = await owner.call<{ data: T[]; next_cursor: string | null }>('GET', `${path}limit=200${cursor}`);
    rows.push(...page.data);
    if (page.next_cursor === null) return rows;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

it('an evaluation of 1,000 rows that is killed three times runs each row exactly once', async () => {
  const flow = await createWorkflow(owner, [{ id: 'double', type: 'set', config: { value: '{{ trigger.n * 2 }}' } }], {
    output: '{{ steps.double.value }}',
  });
  const { id: dataset_id } = await owner.call<{ id: string }>('POST', '/api/v1/datasets', { name: 'numbers' });
  for (let from = 0; from < ROWS; from += 500) {
    const rows = Array.from({ length: 500 }, (_, n) => ({
      id: `r${from + n}`,
      input: { n: from + n },
      expected: 2 * (from + n),
    }));
    await owner.call('POST', `/api/v1/datasets/${dataset_id}/rows`, { rows });
  }
  const { id } = await owner.call<Evaluation>('POST', '/api/v1/evaluations', {
    dataset_id,
    workflow_id: flow,
    metrics: [{ type: 'equals' }],
    concurrency: 10,
  });
  const path = `/api/v1/evaluations/${id}`;
  const look = () => owner.call<Evaluation>('GET', path);

  for (const share of KILLS) {
    const { progress } = await until(
      `${share * 100} % of the rows are done`,
      async () => {
        const evaluation = await look();
        return evaluation.progress.done >= ROWS * share ? evaluation : null;
      },
      120_000,
    );
    expect(progress.done).toBeLessThan(ROWS);
    await installation.server.kill();
    await installation.start();
  }
  const evaluation = await until(
    'the evaluation has ended',
    async () => {
      const found = await look();
      return found.status === 'queued' || found.status === 'running' ? null : found;
    },
    120_000,
  );

  expect(evaluation).toMatchObject({
    status: 'completed',
    progress: { done: ROWS },
    summary: { rows: ROWS, passed: ROWS, score: 1 },
  });
  const results = await all<Result>(`${path}/results?`);
  expect(results.map(({ row_id }) => row_id)).toEqual(Array.from({ length: ROWS }, (_, n) => `r${n}`));
  expect(
    results.every(({ state, attempt }, n) => state === 'done' && attempt === 1 && results[n]?.output === 2 * n),
  ).toBe(true);
  const runs = await all<{ id: string; status: string; trigger_type: string }>(
    `/api/v1/executions?workflow_id=${flow}&`,
  );
  expect(runs).toHaveLength(ROWS);
  expect(new Set(runs.map(({ status, trigger_type }) => `${status} ${trigger_type}`))).toEqual(
    new Set(['completed trial']),
  );
  expect(results.map(({ execution_id }) => execution_id).sort()).toEqual(runs.map((run) => run.id).sort());
}, 300_000);
