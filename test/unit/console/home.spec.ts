import { activityBars, failedRunsQuery, failingWorkflows, limitsNearEnd } from '../../../console/src/model/home';
import { TEMPLATES } from '../../../console/src/model/templates';
import { validateDocument } from '../../../dsl/validate';
import { nodeTypes } from '../../../services/workflows/tenant-node-types';

test.each(TEMPLATES.map(({ name, dsl }) => [name, dsl] as const))(
  'the template %s is a valid workflow',
  (_name, dsl) => {
    expect(validateDocument(dsl, { nodeTypes })).toEqual({ errors: [], warnings: [] });
  },
);

test('bars have the statuses in the order of the legend', () =>
  expect(
    activityBars(
      [{ at: '2026-06-15T12:00:00.000Z', total: 10, completed: 4, failed: 3, running: 2, cancelled: 1 }],
      (at) => at.slice(11, 16),
    ),
  ).toEqual([{ label: '12:00', values: [4, 3, 2, 1] }]));

test('limits are listed from four fifths on, the fullest first, and never those without a limit', () => {
  const limits = {
    executions_per_month: 100,
    active_workflows: 3,
    members: 5,
    storage_mb: null,
    knowledge_base_mb: 100,
    concurrent_executions: null,
    history_days: 7,
    datasets: null,
  };
  const usage = { executions_per_month: 80, active_workflows: 3, members: 3, storage_mb: 9_000, knowledge_base_mb: 0 };
  expect(limitsNearEnd({ limits, usage }).map(({ label, value }) => [label, value])).toEqual([
    ['Active workflows', 3],
    ['Executions this month', 80],
  ]);
});

test('the failed runs of a workflow are a query, whatever its name', () =>
  expect(failedRunsQuery('a "b"')).toBe(
    'ExecutionStatus = "Failed" AND WorkflowType = "a \\"b\\"" AND StartTime > now() - 1d',
  ));

test('failing workflows are those with failed runs, the most first', () => {
  const health = [0, 2, 9].map((failed) => ({ failed, name: `w${failed}` }) as never);
  expect(failingWorkflows(health).map(({ name }) => name)).toEqual(['w9', 'w2']);
});
