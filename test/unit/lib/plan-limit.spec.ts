import { planLimitReached } from '../../../lib/plan-limit';

const excess = 'all are in use';
const remedy = 'remove one';

test('active workflows over the limit are refused with 403, as documented', () => {
  expect(planLimitReached({ limit: 'active_workflows', max: 25, excess, remedy })).toMatchObject({
    type: 'workflow_limit',
    code: 403,
    message: 'Your plan allows 25 active workflows, and all are in use; remove one, or upgrade the plan',
    data: { body: { limit: 'active_workflows', max: 25 } },
  });
});

test.each(['workflows', 'executions_per_month', 'members', 'knowledge_base_mb', 'storage_mb'] as const)(
  '%s is refused with 402, in the same form',
  (limit) => {
    expect(planLimitReached({ limit, max: 2, excess, remedy })).toMatchObject({
      type: 'quota_exceeded',
      code: 402,
      message: expect.stringMatching(
        /^Your plan allows 2 [\w, ]+, and all are in use; remove one, or upgrade the plan$/,
      ),
      data: { body: { limit, max: 2 } },
    });
  },
);
