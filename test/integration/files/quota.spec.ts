import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Blobs } from '../../../services/files/blobs';
import { fileModel } from '../../../services/files/models';
import { Sweep } from '../../../services/files/sweep';
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
  const late = await house.bring(mebibyte, { path: 'b' });
  // As if another process had accepted more in between.
  const files = house.db.collection<{ _id: string; path: string }>('workspace_files');
  const { _id, ...one } = (await files.findOne({})) as { _id: string; path: string };
  await files.insertOne({ ...one, _id: 'other', path: 'other' });
  await house.db.collection('files.files').updateOne({ _id: late as never }, { $set: { 'metadata.reserved': 0 } });
  clock.leap(31_000);
  expect(await codeOf(house.t.call('files.commit', { blob_id: late }, house.ann))).toBe('quota_exceeded');
  expect(await house.counts()).toEqual({ files: 2, blobs: 1, chunks: 2 });
});

describe('an upload that is not committed', () => {
  const giveUp = (blob_id: string) => house.t.call('files.give_up', { blob_id }, house.ann);

  test('counts from its beginning, before any of its parts has come, and is no use of the tenant', async () => {
    const begin = (path: string, who = house.ann) => {
      const file = { execution_id: RUN, workflow_id: RUN, path, size: MEBIBYTE, content_type: 'text/plain' };
      return house.t.call('files.begin', { ...file, blob_id: randomUUID() }, who);
    };
    for (const path of ['a', 'b']) await begin(path);
    expect(await codeOf(begin('c'))).toBe('quota_exceeded');
    expect(await codeOf(house.write('x', { path: 'd' }))).toBe('quota_exceeded');
    await begin('c', house.bob);
    expect(await used()).toBe(0);
  });

  test('gives its bytes back once it is given up, and its reservation ends with the commit', async () => {
    const [one, two] = [await house.bring(mebibyte, { path: 'a' }), await house.bring(mebibyte, { path: 'b' })];
    for (const _ of [1, 2]) await giveUp(one);
    const again = await house.bring(mebibyte, { path: 'c' });
    expect(await codeOf(house.write('x', { path: 'd' }))).toBe('quota_exceeded');
    for (const blob_id of [two, again]) await house.t.call('files.commit', { blob_id }, house.ann);
    expect(await used()).toBe(LIMIT * MEBIBYTE);
    await house.t.call('files.remove', { execution_ids: [RUN] }, house.ann);
    for (const path of ['a', 'b']) await house.write(mebibyte, { path });
  });

  test('gives its bytes back once the sweep has found that its writer is gone', async () => {
    for (const path of ['a', 'b']) await house.bring(mebibyte, { path });
    clock.leap(3_600_001);
    expect(await codeOf(house.write('x', { path: 'c' }))).toBe('quota_exceeded');
    await new Sweep(fileModel(house.t.app.db), new Blobs(house.db), clock, () => {}).run();
    clock.leap(1_001);
    for (const path of ['c', 'd']) await house.write(mebibyte, { path });
  });

  test('makes room for the next attempt at the same path, and for no other', async () => {
    const lost = await house.bring(mebibyte, { path: 'a' });
    await house.write(mebibyte, { path: 'b' });
    await house.write(mebibyte, { path: 'a' });
    expect(await codeOf(house.t.call('files.commit', { blob_id: lost }, house.ann))).toBe('conflict');
    expect(await house.counts()).toEqual({ files: 2, blobs: 2, chunks: 4 });
  });

  test('has the room of the file that it replaces to itself', async () => {
    for (const path of ['a', 'b']) await house.write(mebibyte, { path });
    const attempts = Array.from({ length: 5 }, () => house.bring(mebibyte, { path: 'a' }));
    await Promise.allSettled(attempts);
    // The content that is in use, and one that is to replace it.
    expect((await house.counts()).blobs).toBe(3);
  });

  test('is let in only as long as it fits, of many that begin at once', async () => {
    const half = mebibyte.subarray(MEBIBYTE / 2);
    const begun = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => house.bring(half, { path: `${n}` })));
    const blobs = begun.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(blobs).toHaveLength(2 * LIMIT);
    for (const blob_id of blobs) await house.t.call('files.commit', { blob_id }, house.ann);
    expect(await used()).toBe(LIMIT * MEBIBYTE);
  });

  test('takes no part after its last one, not even an empty one', async () => {
    const blob_id = await house.bring(mebibyte, { path: 'a' });
    const part = house.t.call('files.put_part', { blob_id, n: 2, data: '' }, house.ann);
    expect(await codeOf(part)).toBe('invalid_request');
    expect((await house.counts()).chunks).toBe(2);
  });

  test('is one of a thousand at most', async () => {
    const blob_id = await house.bring(Buffer.alloc(0), { path: 'empty' });
    const blobs = house.db.collection<{ _id: string }>('files.files');
    const { _id, ...one } = (await blobs.findOne({ _id: blob_id })) as { _id: string };
    await blobs.insertMany(Array.from({ length: 999 }, (_, n) => ({ ...one, _id: `${n}` })));
    expect(await codeOf(house.write('x', { path: 'more' }))).toBe('rate_limited');
    await giveUp(blob_id);
    await house.write('x', { path: 'more' });
  });
});

test('a run that has a thousand files gets the error before the content of another one comes', async () => {
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
