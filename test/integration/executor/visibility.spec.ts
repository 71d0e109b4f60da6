import type { Actor } from '../../support/app';
import { type House, openHouse } from './house';

const HOUR = 3_600_000;
const NOW = Date.now();

/** Attributes of a run that a query may use. */
interface Run {
  readonly id: string;
  readonly workflow: 'orders' | 'bills';
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled';
  readonly code: string | null;
  readonly trigger: string;
  readonly started: number;
  readonly took: number | null;
  readonly parent: string | null;
  readonly waiting: readonly string[];
}

const idOf = (n: number): string => `01a00000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Sixty runs in which everything meets everything. */
const RUNS: readonly Run[] = Array.from({ length: 60 }, (_, n): Run => {
  const status = (['running', 'completed', 'failed', 'cancelled', 'failed'] as const)[n % 5] as Run['status'];
  return {
    id: idOf(n),
    workflow: n % 3 === 0 ? 'bills' : 'orders',
    status,
    code: status === 'failed' ? (n % 2 === 0 ? 'timed_out' : 'http_status') : null,
    trigger: ['manual', 'http', 'api', 'schedule'][n % 4] as string,
    started: NOW - n * HOUR,
    took: status === 'running' ? null : n * 10_000,
    parent: n % 7 === 0 && n > 0 ? idOf(0) : null,
    waiting: status === 'running' ? ([['approval'], ['timer', 'signal'], []][n % 3] as string[]) : [],
  };
});

let house: House;
beforeAll(async () => {
  house = await openHouse();
  for (const tenant of [house.ann.tenant_id, 'another tenant']) await seed(tenant);
});
afterAll(() => house?.close());

const seed = async (tenant: string): Promise<void> => {
  const executions = house.t.app.db.collection<{ _id: string }>('executions');
  await executions.insertMany(
    RUNS.map((run) => ({
      _id: tenant === house.ann.tenant_id ? run.id : run.id.replace('01a', '02a'),
      tenant_id: tenant,
      workflow_id: `id-of-${run.workflow}`,
      workflow_name: run.workflow,
      status: run.status,
      error: run.code === null ? null : { code: run.code, message: 'm', step_id: null },
      trigger_type: run.trigger,
      started_at: new Date(run.started),
      ended_at: run.took === null ? null : new Date(run.started + run.took),
      duration_ms: run.took,
      parent: run.parent === null ? null : { execution_id: run.parent, path: 'p', awaited: true },
      waiting: run.waiting.map((kind) => ({
        kind,
        step_id: 's',
        name: null,
        since: new Date(run.started),
        until: null,
      })),
      // Owned by no running host, and not due: no host claims them.
      owner: 'a host of a test',
      wake_at: null,
    })),
  );
};

interface Page {
  data: { id: string }[];
  next_cursor: string | null;
}

const list = (query: string, more: object = {}, actor: Actor = house.ann): Promise<Page> =>
  house.t.call('executions.visibility', { query, limit: 200, ...more }, actor);
const found = async (query: string): Promise<string[]> => (await list(query)).data.map(({ id }) => id).sort();

it.each<[string, (run: Run) => boolean]>([
  ['ORDER BY StartTime DESC', () => true],
  ['ExecutionStatus = "Running"', ({ status }) => status === 'running'],
  ["executionstatus in ('FAILED', 'canceled')", ({ status }) => ['failed', 'cancelled'].includes(status)],
  ['ExecutionStatus = "TimedOut"', ({ code }) => code === 'timed_out'],
  ['ExecutionStatus = "Terminated"', () => false],
  ['ExecutionStatus != "Terminated"', () => true],
  ['NOT ExecutionStatus STARTS_WITH "C"', ({ status }) => !['completed', 'cancelled'].includes(status)],
  [`WorkflowId = '${idOf(7)}' OR RunId = "${idOf(9)}"`, ({ id }) => id === idOf(7) || id === idOf(9)],
  ['WorkflowType = "orders"', ({ workflow }) => workflow === 'orders'],
  ["WorkflowType = 'id-of-bills'", ({ workflow }) => workflow === 'bills'],
  ['WorkflowType STARTS_WITH "ord"', ({ workflow }) => workflow === 'orders'],
  ['TriggerType <> "manual" AND TriggerType NOT IN ("http", "api")', ({ trigger }) => trigger === 'schedule'],
  ['StartTime > now() - 10h', ({ started }) => started > Date.now() - 10 * HOUR],
  [
    `ExecutionTime BETWEEN '${new Date(NOW - 20 * HOUR).toISOString()}' AND '${new Date(NOW - 10 * HOUR).toISOString()}'`,
    ({ started }) => started >= NOW - 20 * HOUR && started <= NOW - 10 * HOUR,
  ],
  ['CloseTime IS NULL', ({ took }) => took === null],
  ['CloseTime IS NOT NULL AND ExecutionDuration >= 5m', ({ took }) => took !== null && took >= 300_000],
  ['NOT (CloseTime < now())', ({ took }) => took === null],
  ['ExecutionDuration < "00:01:00"', ({ took }) => took !== null && took < 60_000],
  [`ParentWorkflowId = '${idOf(0)}'`, ({ parent }) => parent !== null],
  ['ParentWorkflowId IS NULL', ({ parent }) => parent === null],
  ['WaitingFor = "signal"', ({ waiting }) => waiting.includes('signal')],
  [
    'WaitingFor IS NOT NULL AND WaitingFor != "signal"',
    ({ waiting }) => waiting.length > 0 && !waiting.includes('signal'),
  ],
  [
    '(TriggerType = "api" OR TriggerType = "http") AND NOT (WorkflowType = "bills" OR ExecutionStatus = "Running")',
    ({ trigger, workflow, status }) =>
      ['api', 'http'].includes(trigger) && workflow !== 'bills' && status !== 'running',
  ],
])('%s finds what it says, and nothing of others', async (query, wanted) => {
  expect(await found(query)).toEqual(
    RUNS.filter(wanted)
      .map(({ id }) => id)
      .sort(),
  );
});

it('lists newest first, and goes on by a cursor', async () => {
  const query = 'WorkflowType = "orders"';
  const pages: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Page = await list(query, { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(RUNS.filter(({ workflow }) => workflow === 'orders').map(({ id }) => id));
});

it('lists in an order of its own, by offset', async () => {
  const longest = RUNS.filter(({ took }) => took !== null).sort((a, b) => (b.took as number) - (a.took as number));
  const query = 'CloseTime IS NOT NULL ORDER BY ExecutionDuration DESC';
  const page = await list(query, { limit: 5, offset: 5 });
  expect(page).toMatchObject({ data: longest.slice(5, 10).map(({ id }) => ({ id })), next_cursor: null });
  await expect(list(query, { cursor: `1_${idOf(1)}` })).rejects.toMatchObject({ type: 'invalid_request' });
});

it('of another tenant lists only its own runs, whatever the query contains', async () => {
  const other: Actor = { tenant_id: 'another tenant' };
  const { data } = await list(`RunId = "${idOf(1)}" OR ExecutionStatus != "Terminated"`, {}, other);
  expect(data).toHaveLength(RUNS.length);
  expect(data.every(({ id }) => id.startsWith('02a'))).toBe(true);
});
