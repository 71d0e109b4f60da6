import { compile, type Plan, type WorkflowDocument } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { planOfHash } from '../../../services/executor/plans';
import { document, nodeTypes, step } from '../dsl/support/documents';

const compiled = (steps: JsonObject[], more: JsonObject = {}): Plan =>
  compile(document(steps, more) as unknown as WorkflowDocument, nodeTypes);

/** As it comes back from where it was kept as text. */
const kept = (plan: Plan): Record<string, unknown> => JSON.parse(JSON.stringify(plan)) as Record<string, unknown>;

describe('a plan from another service', () => {
  test.each([
    ['of one step', compiled([step('a')])],
    [
      'with all that a step may have',
      compiled(
        [
          step('a', {
            config: JSON.parse('{"__proto__":{"x":1},"$set":{"a.b":[null,1.5,"é"]},"":false}') as JsonObject,
            if: '{{ true }}',
            timeout: '5s',
            on_error: 'continue',
            retry: { max_attempts: 3 },
          }),
        ],
        { output: { b: 1 }, timeout: '1h', name: 'Doc' },
      ),
    ],
  ])('%s is identified by its hash', (_what, plan) => {
    expect(planOfHash(kept(plan), plan.hash)).toEqual(plan);
  });

  test('is refused when it is changed, another one, or not a plan', () => {
    const plan = compiled([step('a')]);
    expect(planOfHash({ ...kept(plan), name: 'Another' }, plan.hash)).toBeNull();
    expect(planOfHash({ ...kept(plan), more: 1 }, plan.hash)).toBeNull();
    expect(planOfHash(kept(compiled([step('b')])), plan.hash)).toBeNull();
    for (const value of [null, 'text', [], {}, { hash: plan.hash }]) expect(planOfHash(value, plan.hash)).toBeNull();
  });
});
