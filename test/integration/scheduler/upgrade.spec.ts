import { Site } from './site';

const HOUR = 3_600_000;

let site: Site;
afterEach(() => site?.close());

test('schedules of a version that knew no sources go on', async () => {
  site = await Site.openCluster();
  const id = await site.workflow({ every: '1h' });
  const schedules = site.db.collection<{ _id: string; timer: string }>('schedules');
  const [{ _id, timer }] = (await schedules.find({}).toArray()) as [{ _id: string; timer: string }];
  await site.kill();
  // As the version before wrote them.
  const { kind: _kind, ...text } = JSON.parse(timer) as { kind: string };
  await schedules.updateOne({ _id }, { $unset: { kind: 1 }, $set: { timer: JSON.stringify(text) } });

  await site.addScheduler();
  expect(await site.schedule(id)).toMatchObject({ type: 'schedule', every: '1h' });
  await site.pass(HOUR);
  expect(site.slotsOf(id)).toHaveLength(1);
});
