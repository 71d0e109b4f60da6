import { compile, prepare, validateDocument, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { concurrencyContext } from '../../../runtime/core/decide/concurrency';
import { rankOfStart, rateLimitOf, throttleOf } from '../../../services/executor/flow-control';
import { inlineCompute } from '../../support/inline-compute';
import { document, nodeTypes, step } from './support/documents';

const errorsOf = (members: JsonObject) =>
  validateDocument(document([step('a')], members), { nodeTypes }).errors.map(
    ({ path, message, hint }) => `${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );

const preparedOf = (members: JsonObject) =>
  prepare(compile(document([step('a')], members) as unknown as WorkflowDocument, nodeTypes));

const RUN = { tenantId: 't', workflowId: 'w', env: 'dev', vars: {}, startedAt: 1_000_000 };
const context = (trigger: JsonObject) => concurrencyContext({ ...RUN, trigger }, (bytes) => new Uint8Array(bytes));

test.each<[JsonObject]>([
  [{ throttle: { limit: 10, period: '1m' } }],
  [{ throttle: { limit: 10, period: 60, burst: 3, key: '{{ trigger.body.customer }}', x_note: 'mine' } }],
  [{ rate_limit: { limit: 1, period: '30d', key: '{{ vars.x }}-{{ env }}' } }],
  [{ debounce: { period: '30s', max_wait: '5m', key: '{{ trigger.body.id }}' } }],
  [{ batch: { max_size: 2, period: '30d' } }],
  [{ throttle: { limit: 10, period: '1m', name: 'crm' }, concurrency: { name: 'crm', limit: 5 } }],
  [
    {
      rate_limit: { limit: 10, period: '1m', name: 'crm', key: '{{ env }}' },
      concurrency: { name: 'crm', key: '{{ env }}' },
    },
  ],
  [{ priority: 5 }],
  [{ priority: '{{ trigger.body.urgent ? 5 : 3 }}' }],
])('%j is right', (members) => {
  expect(errorsOf(members)).toEqual([]);
});

const RATE = 'write {"limit": 10, "period": "1m"}';
test.each<[JsonObject, unknown[]]>([
  [{ throttle: 3 }, [`throttle: must be an object, not number (${RATE})`]],
  [{ throttle: {} }, [`throttle.limit: is missing (${RATE})`, `throttle.period: is missing (${RATE})`]],
  [{ throttle: { limit: 0, period: '1m' } }, ['throttle.limit: must be a whole number from 1 to 1000']],
  [
    { throttle: { limit: 1, period: '10ms' } },
    ['throttle.period: must be from 1s to 30d (raise or lower the limit instead)'],
  ],
  [{ throttle: { limit: 1, period: '31d' } }, [expect.stringContaining('must be from 1s to 30d')]],
  [{ throttle: { limit: 1, period: 'soon' } }, [expect.stringContaining('throttle.period: not a duration')]],
  [{ throttle: { limit: 2, period: '1m', burst: 3 } }, ['throttle.burst: must be a whole number from 1 to 2']],
  [{ throttle: { limit: 2, period: '1m', key: '' } }, [expect.stringContaining('throttle.key: is empty')]],
  [
    { throttle: { limit: 2, period: '1m', key: '{{ steps.a.x }}' } },
    [expect.stringContaining('throttle.key: steps.a is not known before the run begins')],
  ],
  [
    { rate_limit: { limit: 2, period: '1m', key: '{{ secret.KEY }}' } },
    [expect.stringContaining('a secret may not be used in the key of rate_limit: keys are shown')],
  ],
  [{ rate_limit: { limit: 2, period: '1m', burst: 1 } }, [expect.stringContaining('rate_limit.burst: unknown key')]],
  [
    { debounce: 3 },
    ['debounce: must be an object, not number (write {"period": "30s", "key": "{{ trigger.body.id }}"})'],
  ],
  [{ debounce: {} }, [expect.stringContaining('debounce.period: is missing (write {"period"')]],
  [
    { debounce: { period: '2m', max_wait: '1m' } },
    ['debounce.max_wait: shorter than period (raise it, or leave it out)'],
  ],
  [
    { debounce: { period: '1m', max_wait: '31d' } },
    [expect.stringContaining('debounce.max_wait: must be from 1s to 30d')],
  ],
  [{ debounce: { period: '1m', limit: 3 } }, [expect.stringContaining('debounce.limit: unknown key of debounce')]],
  [
    { debounce: { period: '1m', key: '{{ steps.a.x }}' } },
    [expect.stringContaining('debounce.key: steps.a is not known before the run begins')],
  ],
  [
    { batch: {} },
    [expect.stringContaining('batch.max_size: is missing (write {"max_size"'), expect.stringContaining('batch.period')],
  ],
  [{ batch: { max_size: 1, period: '1m' } }, ['batch.max_size: must be a whole number from 2 to 1000']],
  [
    { batch: { max_size: 5, period: '1m', key: '{{ secret.KEY }}' } },
    [expect.stringContaining('a secret may not be used in the key of batch: keys are shown')],
  ],
  [
    { batch: { max_size: 5, period: '1m' }, debounce: { period: '1m' } },
    ['batch: a workflow has debounce or batch, not both (leave one of them out)'],
  ],
  [
    { throttle: { limit: 2, period: '1m', name: 'the crm' } },
    [
      'throttle.name: must be a letter, then up to 63 letters, digits, _ or - (write "crm"; workflows with a limit of the same name share it)',
    ],
  ],
  [{ concurrency: { name: 3 } }, [expect.stringContaining('concurrency.name: must be a letter')]],
  [{ concurrency: { limit: 3 } }, [expect.stringContaining('concurrency.key: is missing')]],
  [
    { concurrency: { name: 'crm', on_conflict: 'cancel_running' } },
    ['concurrency.on_conflict: runs of other workflows share the limit (write "queue" or "skip")'],
  ],
  [{ priority: 6 }, [expect.stringContaining('priority: must be a whole number from 1 to 5')]],
  [{ priority: 2.5 }, [expect.stringContaining('priority: must be a whole number from 1 to 5')]],
  [{ priority: 'high' }, [expect.stringContaining('priority: is text without an expression (write a number')]],
  [{ priority: true }, [expect.stringContaining('priority: must be a number or an expression, not boolean')]],
])('%j is refused with a path and a remedy', (members, errors) => {
  expect(errorsOf(members)).toEqual(errors);
});

describe('the throttle of a run', () => {
  const of = (throttle: JsonObject, trigger: JsonObject = {}) =>
    throttleOf(inlineCompute, preparedOf({ throttle }), RUN, context(trigger));

  test('has a window for each key; the burst is the limit unless the document has one', async () => {
    const keyed = { limit: 4, period: '1m', key: '{{ trigger.customer }}' };
    const a = await of(keyed, { customer: 'a' });
    expect(a).toMatchObject({ limit: 4, periodMs: 60_000, burst: 4, key: 'a', passed: false });
    expect((await of(keyed, { customer: 'b' }))?.window).not.toBe(a?.window);
    expect(await of({ ...keyed, burst: 2 }, { customer: 'a' })).toMatchObject({ burst: 2, window: a?.window });
    const limit = await rateLimitOf(inlineCompute, preparedOf({ rate_limit: keyed }), RUN, context({ customer: 'a' }));
    expect(limit?.window).not.toBe(a?.window);
  });

  test('is that of all runs without a key, and none for a key without a value', async () => {
    expect(await of({ limit: 1, period: '1m' })).toMatchObject({ key: '' });
    expect(await of({ limit: 1, period: '1m', key: '{{ trigger.customer }}' })).toBeNull();
    expect(await of({ limit: 1, period: '1m', key: '{{ trigger.a + 1 }}' }, { a: 1 })).toMatchObject({ key: '2' });
    await expect(of({ limit: 1, period: '1m', key: '{{ trigger.a + 1 }}' }, { a: {} })).rejects.toThrow(
      "The key of 'throttle' of the workflow cannot be evaluated",
    );
  });
});

test.each<[Json, JsonObject, object]>([
  [3, {}, {}],
  [5, {}, { rank: 1_000_000 - 1_200_000 }],
  ['{{ trigger.p }}', { p: 1 }, { rank: 1_000_000 + 1_200_000 }],
  ['{{ trigger.p }}', {}, {}],
  [
    '{{ trigger.p }}',
    { p: 9 },
    { warning: { path: 'priority', message: 'The priority counts as 3: it must be a whole number from 1 to 5' } },
  ],
  [
    '{{ trigger.p + 1 }}',
    { p: {} },
    { warning: { path: 'priority', message: expect.stringContaining('counts as 3') } },
  ],
])('priority %j of %j', async (priority, trigger, wanted) => {
  expect(await rankOfStart(inlineCompute, preparedOf({ priority }), RUN, context(trigger))).toEqual(wanted);
});

test('variables are read for a start only if something that is evaluated then uses them', () => {
  const usesVars = { steps: [{ ...step('a'), config: { x: '{{ vars.x }}' } }] } as unknown as JsonObject;
  expect(preparedOf(usesVars)).toMatchObject({ usesVars: true, usesVarsAtStart: false });
  expect(preparedOf({ throttle: { limit: 1, period: '1m', key: '{{ vars.x }}' } })).toMatchObject({
    usesVarsAtStart: true,
  });
});
