import type { JsonObject } from '../../../lib/json';
import { type House, openHouse } from './house';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house?.close());

interface Page {
  data: { id: string; labels: Record<string, string> }[];
}

const found = async (query: string, actor = house.ann): Promise<string[]> =>
  ((await house.t.call('executions.visibility', { query, limit: 200 }, actor)) as Page).data.map(({ id }) => id);

const LABELS = { order: '{{ trigger.body.id }}', region: '{{ trigger.body.region }}', kind: 'test' };
const STEPS = [{ id: 'a', type: 'set', config: { x: '{{ trigger.body.fails + 1 }}' }, on_error: 'fail' }];

const started = async (workflow: string, body: JsonObject): Promise<string> => {
  const { id } = await house.sync(workflow, body);
  return id;
};

describe('runs with labels', () => {
  let ids: { seventeen: string; eu: string; us: string };
  beforeAll(async () => {
    const workflow = await house.workflow(STEPS, { labels: LABELS }, 'http');
    ids = {
      seventeen: await started(workflow, { id: 17, region: 'eu', fails: 1 }),
      eu: await started(workflow, { id: 'eu=18', region: 'eu-west', fails: 1 }),
      us: await started(workflow, { region: 'us', fails: 1 }),
    };
  });

  it('have them in lists and in the run, with a warning for one without a value', async () => {
    expect(await house.get(ids.seventeen)).toMatchObject({
      labels: { order: '17', region: 'eu', kind: 'test' },
      warnings: [],
    });
    const us = await house.get(ids.us);
    expect(us.labels).toEqual({ region: 'us', kind: 'test' });
    expect(us.warnings).toEqual([{ path: 'labels.order', message: 'This label is left out: it has no value' }]);
    const page = (await house.t.call('executions.list', { limit: 200 }, house.ann)) as Page;
    expect(page.data.find(({ id }) => id === ids.eu)?.labels).toEqual({
      order: 'eu=18',
      region: 'eu-west',
      kind: 'test',
    });
  });

  it.each<[string, ('seventeen' | 'eu' | 'us')[]]>([
    ["Label.order = '17'", ['seventeen']],
    ['labels.order = "eu=18"', ['eu']],
    ["label.region IN ('us', 'eu')", ['us', 'seventeen']],
    ["Label.region STARTS_WITH 'eu'", ['eu', 'seventeen']],
    ["Label.region STARTS_WITH 'eu' AND Label.order STARTS_WITH 'eu'", ['eu']],
    ['Label.order IS NULL AND Label.kind = "test"', ['us']],
    ['Label.order IS NOT NULL', ['eu', 'seventeen']],
    ["Label.order != '17' AND Label.kind = 'test'", ['us', 'eu']],
    ["Label.Order = '17'", []],
    ["Label.ord STARTS_WITH '1'", []],
    ['`Label.order` = "17" AND ExecutionStatus = "Completed"', ['seventeen']],
  ])('are found by %s', async (query, wanted) => {
    expect(await found(query)).toEqual(wanted.map((name) => ids[name]));
  });

  it('are found by their own tenant alone', async () => {
    expect(await found("Label.kind = 'test'", house.bob)).toEqual([]);
  });

  it.each([
    ["Label. = 'x'", 'has no meaning here'],
    ['Label.order = 17', 'a text in quotes is needed'],
    ["Label.order > 'x'", 'is compared by =, !=, IN and STARTS_WITH'],
    ['Label = "x"', 'there is no field Label; there are'],
    ['ORDER BY Label.order', 'not by Label.order'],
  ])('the query %s is refused', async (query, message) => {
    await expect(found(query)).rejects.toThrow(message);
  });

  it('are searched in an index that holds labelled runs alone', async () => {
    const executions = house.t.app.db.collection('executions');
    const plan = await executions
      .find({ $and: [{ tenant_id: house.ann.tenant_id }, { labels: 'order=17' }] })
      .sort({ started_at: -1, _id: -1 })
      .explain();
    expect(JSON.stringify(plan)).toContain('by_tenant_label');
    const unlabelled = await started(await house.workflow(STEPS, {}, 'http'), { fails: 1 });
    expect(await executions.findOne({ _id: unlabelled as never })).not.toHaveProperty('labels');
  });
});

it('a retry inherits labels, and a sub-workflow has its own', async () => {
  const labels = { order: '{{ trigger.body.id }}', parent: '{{ trigger.own }}' };
  const failing = await house.workflow([{ id: 'f', type: 'fail', config: { message: 'no' } }], { labels }, 'http');
  const first = await started(failing, { id: 5 });
  const retried = (await house.t.call('executions.retry', { id: first, input: { own: 'x' } }, house.ann)) as {
    id: string;
  };
  expect((await house.ended(retried.id)).labels).toEqual({ order: '5', parent: 'x' });

  const child = await house.workflow(STEPS, { labels: { mine: '{{ trigger.n }}' } });
  const call = { id: 'c', type: 'sub_workflow', config: { workflow: child, input: { n: 3, body: { fails: 1 } } } };
  const parent = await started(await house.workflow([call], { labels: { top: 'yes' } }, 'http'), {});
  const [kid] = await found(`ParentWorkflowId = '${parent}'`);
  expect((await house.get(kid as string)).labels).toEqual({ mine: '3' });
});
