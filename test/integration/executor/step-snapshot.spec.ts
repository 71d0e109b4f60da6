import { StepIndexes } from '../../../services/executor/step-indexes';
import { SNAPSHOT } from '../../../services/executor/step-snapshot';
import { recordsOf } from '../../../services/executor/records';
import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { openSite, type Site, type User } from './site';

const ITEMS = 4_100;
const STEPS: Json[] = [
  {
    id: 'each',
    type: 'foreach',
    config: { items: `{{ range(${ITEMS}) }}`, concurrency: 50 },
    steps: [{ id: 'double', type: 'set', config: { n: '{{ loop.item }}' } }],
  },
];

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site?.close());

/** Calls as a service of the run's tenant, as the executor does. */
const asService = ((action: string, params: object, { asServiceOf }: { asServiceOf: string }) =>
  site.t.call(action as never, params as never, { tenant_id: asServiceOf, role: 'service' } as never)) as never;

it('the index of a long run is stored at its end, and read instead of the journal', async () => {
  const { id } = await ann.run(await ann.workflow(STEPS));
  const records = recordsOf(site.t.broker);
  const { store } = records;
  const stored = () => store.getPayloads(id, [SNAPSHOT]).then((found) => found.get(SNAPSHOT) ?? null);
  await until('the index is stored', stored);

  const execution = await store.load(id);
  if (execution === null) throw new Error('The run is gone');
  const read: number[] = [];
  const faults: unknown[] = [];
  const watched = {
    collections: records.collections,
    plan: records.plan.bind(records),
    store: {
      ...store,
      journal: (run: string, from?: number, limit?: number) => {
        read.push(limit ?? 0);
        return store.journal(run, from, limit);
      },
    },
  };
  const index = await new StepIndexes(
    watched,
    () => 0,
    (fault) => faults.push(fault),
  ).of(asService, execution);
  expect([index.steps.size, index.complete, faults]).toEqual([ITEMS + 1, true, []]);
  // Whether the last record is still the run's, and whether there are others after it.
  expect(read.length).toBeLessThanOrEqual(2);

  const { body } = await ann.request('GET', `/api/v1/executions/${id}/detail?parent=each&offset=4000&limit=1`);
  expect((body.steps as JsonObject[])[0]).toMatchObject({ path: 'each/steps[4000]/double', output: { n: 4_000 } });
});

it('a stored index that is not whole is built again from the journal', async () => {
  const { id } = await ann.run(await ann.workflow(STEPS));
  const records = recordsOf(site.t.broker);
  await until(
    'the index is stored',
    async () => (await records.store.getPayloads(id, [SNAPSHOT])).get(SNAPSHOT) ?? null,
  );
  await records.collections.payloads.updateMany(
    { _id: { $gte: `${id}:${SNAPSHOT}:`, $lt: `${id}:${SNAPSHOT};` } },
    { $set: { json: '{"format":1' } },
  );
  const execution = await records.store.load(id);
  if (execution === null) throw new Error('The run is gone');
  const index = await new StepIndexes(
    records,
    () => 0,
    () => undefined,
  ).of(asService, execution);
  expect(index.steps.size).toBe(ITEMS + 1);
});
