import { randomUUID } from 'node:crypto';
import { LeapingClock } from '../../support/leaping-clock';
import { Blobs } from '../../../services/files/blobs';
import { PART_BYTES } from '../../../contracts/files';
import { fileModel } from '../../../services/files/models';
import { Sweep } from '../../../services/files/sweep';
import { type FilesHouse, openFiles, RUN } from './house';

const HOUR_MS = 3_600_000;
const WRITES = ['insertOne', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany', 'findOneAndUpdate'] as const;
const WATCHED = new Set(['workspace_files', 'files.files', 'files.chunks']);
const OLD = Buffer.alloc(PART_BYTES + 10, 'o');
const NEW = Buffer.alloc(2 * PART_BYTES + 10, 'n');

const clock = new LeapingClock();
let house: FilesHouse;
let sweep: Sweep;

beforeAll(async () => {
  house = await openFiles({ clock });
  sweep = new Sweep(fileModel(house.t.app.db), new Blobs(house.db), clock, () => {});
});
afterAll(() => house.close());

type Write = (...given: unknown[]) => Promise<unknown>;

/**
 * Lets the process die at its nth write to files, from 1: before it is done, or with its answer lost. Nothing that it
 * tries afterwards is done. Answers whether it came to that.
 */
async function dyingAt(n: number, when: 'before' | 'after', act: () => Promise<unknown>): Promise<boolean> {
  const driver = Object.getPrototypeOf(house.db.collection('any')) as Record<string, Write>;
  let writes = 0;
  const spies = WRITES.map((name) => {
    const real = driver[name] as Write;
    return jest.spyOn(driver, name).mockImplementation(async function (this: unknown, ...given) {
      const { collectionName } = this as { collectionName: string };
      if (!WATCHED.has(collectionName)) return real.apply(this, given);
      writes += 1;
      if (writes < n) return real.apply(this, given);
      if (writes === n && when === 'after') await real.apply(this, given);
      throw new Error('the process has died');
    });
  });
  try {
    await act().catch(() => undefined);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return writes >= n;
}

const readable = (path: string): Promise<Buffer | null> => house.read({ path }).catch(() => null);

async function swept(): Promise<void> {
  clock.leap(HOUR_MS + 1_000);
  while ((await sweep.run()) > 0);
}

describe.each(['before', 'after'] as const)('a process that dies %s a write', (when) => {
  test('of a new file leaves the whole file or none, and the sweep leaves nothing else', async () => {
    let n = 1;
    for (let died = true; died; n++) {
      const path = randomUUID();
      died = await dyingAt(n, when, () => house.write(NEW, { path }));
      const seen = await readable(path);
      expect(seen === null || seen.equals(NEW)).toBe(true);
      if (!died) expect(seen?.equals(NEW)).toBe(true);
      await swept();
      expect((await readable(path))?.length).toBe(seen?.length);
      expect(await house.counts()).toEqual(
        seen === null ? { files: 0, blobs: 0, chunks: 0 } : { files: 1, blobs: 1, chunks: 3 },
      );
      await house.t.call('files.remove', { execution_ids: [RUN] }, house.ann);
    }
    // Document, three parts, digest, record, kept.
    expect(n).toBeGreaterThan(7);
  }, 60_000);

  test('that replaces a file leaves either the old or the new one, complete', async () => {
    let n = 1;
    for (let died = true; died; n++) {
      const path = randomUUID();
      await house.write(OLD, { path });
      died = await dyingAt(n, when, () => house.write(NEW, { path }));
      const seen = (await readable(path)) as Buffer;
      expect(seen.equals(OLD) || seen.equals(NEW)).toBe(true);
      await swept();
      expect((await readable(path))?.equals(seen)).toBe(true);
      expect(await house.counts()).toEqual({ files: 1, blobs: 1, chunks: seen.equals(OLD) ? 2 : 3 });
      // The next one goes on where it was.
      await house.write('next', { path });
      expect((await readable(path))?.toString()).toBe('next');
      await house.t.call('files.remove', { execution_ids: [RUN] }, house.ann);
      expect(await house.counts()).toEqual({ files: 0, blobs: 0, chunks: 0 });
    }
    expect(n).toBeGreaterThan(10);
  }, 60_000);

  test('of a removal leaves whole files or none, and the repeated removal and the sweep leave nothing', async () => {
    const remove = () => house.t.call('files.remove', { execution_ids: [RUN] }, house.ann);
    let n = 1;
    for (let died = true; died; n++) {
      for (const path of ['a', 'b']) await house.write(OLD, { path });
      died = await dyingAt(n, when, remove);
      for (const path of ['a', 'b']) {
        const seen = await readable(path);
        expect(seen === null || seen.equals(OLD)).toBe(true);
      }
      await remove();
      await swept();
      expect(await house.counts()).toEqual({ files: 0, blobs: 0, chunks: 0 });
    }
    expect(n).toBeGreaterThan(5);
  }, 60_000);
});

test('a sweep leaves alone what is young, what is kept, and what has been taken up since it looked', async () => {
  await house.write(OLD, { path: 'kept' });
  const young = await house.bring(NEW, { path: 'young' });
  const before = await house.counts();
  expect(await sweep.run()).toBe(0);
  clock.leap(HOUR_MS - 60_000);
  expect(await sweep.run()).toBe(0);
  expect(await house.counts()).toEqual(before);
  // Late, but before anybody has given it up.
  clock.leap(2 * HOUR_MS);
  const blobs = new Blobs(house.db);
  const [seen] = await blobs.open(new Date(clock.now() - HOUR_MS), 10);
  await house.t.call('files.commit', { blob_id: young }, house.ann);
  expect(await blobs.doom(seen?._id as string, seen?.metadata.since as Date)).toBe(false);
  expect((await readable('young'))?.equals(NEW)).toBe(true);
});

test('what was given up takes no more parts, and leaves none', async () => {
  const blob_id = await house.bring(Buffer.alloc(10), { path: 'late' });
  await swept();
  const part = { blob_id, n: 0, data: Buffer.alloc(10).toString('base64') };
  await expect(house.t.call('files.put_part', part, house.ann)).rejects.toMatchObject({ type: 'conflict' });
  await expect(house.t.call('files.commit', { blob_id }, house.ann)).rejects.toMatchObject({ type: 'conflict' });
  expect(await house.db.collection('files.chunks').countDocuments({ files_id: blob_id })).toBe(0);
});

test('what its writer gives up goes at once, but for what is committed, or of another tenant', async () => {
  const before = await house.counts();
  const given = await house.bring(NEW, { path: 'given up' });
  await house.t.call('files.give_up', { blob_id: given }, house.bob);
  expect((await house.counts()).blobs).toBe(before.blobs + 1);
  await house.t.call('files.give_up', { blob_id: given }, house.ann);
  expect(await house.counts()).toEqual(before);
  const kept = await house.bring(NEW, { path: 'committed' });
  await house.t.call('files.commit', { blob_id: kept }, house.ann);
  await house.t.call('files.give_up', { blob_id: kept }, house.ann);
  expect((await readable('committed'))?.equals(NEW)).toBe(true);
});
