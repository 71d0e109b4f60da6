import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeapingClock } from '../../support/leaping-clock';
import { openTestDatabase } from '../../support/app';
import { codeOf } from '../executor/house';
import { type FilesHouse, openFiles, RUN } from './house';

const LIMIT = 2;
const MEBIBYTE = 1_048_576;
const clock = new LeapingClock();
let dir: string;
let house: FilesHouse;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'storage-'));
  await writeFile(join(dir, 'plans.json'), JSON.stringify({ free: { storage_mb: LIMIT } }));
});
beforeEach(async () => {
  house = await openFiles({ clock, env: { PLANS_FILE: join(dir, 'plans.json') } });
});
afterEach(() => house.close());
afterAll(() => rm(dir, { recursive: true }));

const used = async (): Promise<number> => (await house.t.call('files.usage', {}, house.ann)).bytes;
const mebibyte = Buffer.alloc(MEBIBYTE, 'x');

test('as much is kept as the plan allows, to the byte', async () => {
  await house.write(mebibyte, { path: 'a' });
  await house.write(mebibyte.subarray(1), { path: 'b' });
  expect(await codeOf(house.write('xx', { path: 'c' }))).toBe('quota_exceeded');
  await house.write('x', { path: 'c' });
  expect(await codeOf(house.write('x', { path: 'd' }))).toBe('quota_exceeded');
  expect(await used()).toBe(LIMIT * MEBIBYTE);
  // Others have their own.
  await house.write('x', { path: 'd' }, house.bob);
});

test('what is replaced or removed makes room', async () => {
  for (const path of ['a', 'b']) await house.write(mebibyte, { path });
  await house.write(mebibyte, { path: 'a' });
  await house.write('x', { path: 'a' });
  await house.write(mebibyte.subarray(1), { path: 'c' });
  expect(await codeOf(house.write('x', { path: 'd' }))).toBe('quota_exceeded');
  await house.t.call('files.remove', { execution_ids: [RUN] }, house.ann);
  expect(await used()).toBe(0);
  await house.write(mebibyte, { path: 'd' });
});

test('of many at once only those that fit are kept', async () => {
  const half = mebibyte.subarray(MEBIBYTE / 2);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, n) => house.write(half, { path: `race/${n}` })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 * LIMIT);
  expect(await used()).toBe(LIMIT * MEBIBYTE);
});

test('what is refused in the end leaves nothing behind', async () => {
  await house.write(mebibyte, { path: 'a' });
  const [one, two] = [await house.bring(mebibyte, { path: 'b' }), await house.bring(mebibyte, { path: 'c' })];
  await house.t.call('files.commit', { blob_id: one }, house.ann);
  expect(await codeOf(house.t.call('files.commit', { blob_id: two }, house.ann))).toBe('quota_exceeded');
  expect(await house.counts()).toEqual({ files: 2, blobs: 2, chunks: 4 });
});

test('a run that has a thousand files is told so before the content of another one comes', async () => {
  await house.write('x', { path: 'a' });
  const files = house.db.collection<{ _id: string; path: string }>('workspace_files');
  const { _id, ...one } = (await files.findOne({})) as { _id: string; path: string };
  await files.insertMany(Array.from({ length: 999 }, (_, n) => ({ ...one, _id: `${_id}${n}`, path: `${n}` })));
  expect(await codeOf(house.bring(Buffer.from('x'), { path: 'b' }))).toBe('invalid_request');
  expect((await house.counts()).blobs).toBe(1);
  await house.write('y', { path: 'a' });
});

test('what another process has kept counts', async () => {
  const database = await openTestDatabase();
  const env = { PLANS_FILE: join(dir, 'plans.json') };
  const [one, two] = [await openFiles({ clock, env, database }), await openFiles({ clock, env, database })];
  try {
    await one.write('x', { path: 'a' });
    await two.write(mebibyte, { path: 'b' }, one.ann);
    await two.write(mebibyte.subarray(1), { path: 'c' }, one.ann);
    // Seldom looked at while there is much left, a second later when there is not.
    clock.leap(31_000);
    expect(await codeOf(one.write('x', { path: 'd' }))).toBe('quota_exceeded');
  } finally {
    await one.close();
    await two.close();
    await database.close();
  }
});
