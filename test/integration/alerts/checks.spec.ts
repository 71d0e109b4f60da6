import { until } from '../../support/until';
import { AlertSite } from './site';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let site: AlertSite;
beforeAll(async () => {
  site = await AlertSite.open();
}, 60_000);
afterAll(() => site?.close());
afterEach(() => site.leapBack());

const create = async (dsl: object, name = 'Checked'): Promise<string> =>
  (await site.ann.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl: { id: 'flow', ...dsl } })).id;
const only = (workflow: string) => ({ scope: { kind: 'workflows', workflow_ids: [workflow] } });

test('a schedule that was not started within the grace is notified, and is over when there is no schedule any more', async () => {
  const trigger = { type: 'schedule', config: { cron: '0 0 1 1 *' } };
  const workflow = await create({ trigger, steps: [{ id: 's', type: 'set', config: {} }] }, 'Nightly');
  const alert = await site.alert({ ...only(workflow), condition: { kind: 'missed_schedule', grace: '5m' } });
  // As a scheduler leaves it that does not get to start the run.
  const late = new Date(Date.now() - 20 * MINUTE);
  const schedules = site.app.app.db.collection('schedules');
  const stuck = { next_at: late, wake_at: new Date(Date.now() + HOUR) };
  await schedules.updateOne({ workflow_id: workflow }, { $set: stuck });
  site.leap(MINUTE);
  const [opened] = await site.notices(alert.id, 1);
  expect(opened).toMatchObject({ kind: 'opened', workflow_name: 'Nightly' });
  expect(opened?.text).toContain(`The run of ${late.toISOString()} has not started in time.`);
  await site.ann.call('PUT', `/api/v1/workflows/${workflow}/disable`);
  site.leap(MINUTE);
  expect((await site.notices(alert.id, 2))[0]).toMatchObject({ kind: 'recovered' });
}, 30_000);

test('a run that waits for too long is notified, and is over when it goes on', async () => {
  const approval = { id: 'ask', type: 'approval', config: { message: 'May I?' } };
  const workflow = await create({ trigger: { type: 'manual' }, steps: [approval] }, 'Asks');
  const alert = await site.alert({
    ...only(workflow),
    condition: { kind: 'long_run', state: 'waiting', longer_than: '2h' },
  });
  const { id } = await site.ann.call<{ id: string }>('POST', `/api/v1/workflows/${workflow}/trigger`, {});
  await until('the run waits', async () => {
    const run = await site.ann.call<{ waiting: unknown[] }>('GET', `/api/v1/executions/${id}`);
    return run.waiting.length > 0;
  });
  site.leap(HOUR);
  expect(await site.notices(alert.id, 0)).toEqual([]);
  site.leap(HOUR + MINUTE);
  const [opened] = await site.notices(alert.id, 1);
  expect(opened?.text).toContain('1 run has been waiting for more than 2h.');
  expect(opened?.text).toContain(`https://everstep.example/console/runs/${id}`);
  await site.ann.call('POST', `/api/v1/executions/${id}/cancel`);
  site.leap(MINUTE);
  expect((await site.notices(alert.id, 2))[0]).toMatchObject({ kind: 'recovered' });
}, 30_000);

test('a budget that is spent is notified, of the tenant', async () => {
  const workflow = await site.workflow();
  const spent = { kind: 'budget', of: 'executions', per: 'month', above: 0 };
  const alert = await site.alert({ condition: spent });
  const plan = { kind: 'budget', of: 'executions', per: 'month', percent_of_plan: 50 };
  const other = await site.alert({ condition: plan });
  await site.runs(workflow, 's');
  site.leap(MINUTE);
  const [opened] = await site.notices(alert.id, 1);
  expect(opened).toMatchObject({ kind: 'opened', workflow_id: null });
  expect(opened?.text).toMatch(/, the whole tenant:\n\d+ executions of this month are more than 0 executions\./);
  expect(await site.notices(other.id, 0)).toEqual([]);
}, 30_000);
