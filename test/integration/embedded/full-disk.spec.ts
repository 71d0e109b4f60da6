import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Collection } from 'mongodb';
import { copyStore } from '../../../embedded';
import { codeOf, expectConsistent, openTestStore, type Row, temporaryFolder } from './harness';
import { endOwners, startOwner } from './owner';

const MIB = 1024 ** 2;
const NO_SPACE = 14031;

/** A small disk of its own; null where mounting is not permitted. */
const disk = join(temporaryFolder(), 'disk');
mkdirSync(disk);
const mount = (): boolean => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', disk]).status === 0;
const unmount = (): boolean => spawnSync('umount', ['--lazy', disk]).status === 0;
const isPermitted = mount() && unmount();
const withDisk = isPermitted ? test : test.skip;
const unlessPermitted = isPermitted ? '' : ' (skipped: mount is not permitted here)';

beforeEach(() => {
  if (isPermitted) mount();
});
afterEach(() => {
  endOwners();
  if (isPermitted) expect(unmount()).toBe(true);
});

const freeBytes = (): number => statfsSync(disk).bavail * statfsSync(disk).bsize;

/** Leaves at most so many bytes free. A store may take some at the same time. */
function occupy(name: string, leftBytes: number): void {
  try {
    writeFileSync(join(disk, name), Buffer.alloc(Math.max(0, freeBytes() - leftBytes), 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Inserts until one is refused for lack of space. */
async function insertUntilFull(collection: Collection<Row>): Promise<number> {
  for (let n = 0; ; n++) {
    const text = 'x'.repeat(20_000);
    const code = await collection.insertOne({ _id: n, text }).then(
      () => undefined,
      (error: unknown) => (error as { code?: unknown }).code,
    );
    if (code === undefined) continue;
    expect(code).toBe(NO_SPACE);
    return n;
  }
}

withDisk(
  `on a full disk the store refuses writes with words, still deletes, and takes writes again when there is room${unlessPermitted}`,
  async () => {
    const dir = join(disk, 'data');
    const full: string[] = [];
    const store = await openTestStore({
      dir,
      sync: true,
      housekeepingMs: 50,
      onDiskFull: ({ message }) => void full.push(message),
    });
    while (!existsSync(join(dir, 'reserve'))) await store.db.command({ ping: 1 });
    occupy('other', 10 * MIB);
    const collection = store.db.collection<Row>('x');
    const inserted = await insertUntilFull(collection);
    expect(inserted).toBeGreaterThan(100);
    await expect(collection.updateOne({ _id: 1 }, { $set: { a: 1 } })).rejects.toThrow(
      `no space left on the disk of ${dir}: free at least 24 MiB there; until then the store only deletes`,
    );
    expect(full).toHaveLength(1);
    expect(await collection.countDocuments()).toBe(inserted);
    for (let n = 0; n < 50; n++) expect((await collection.deleteOne({ _id: n })).deletedCount).toBe(1);
    expect(await collection.findOneAndDelete({ _id: 50 })).toMatchObject({ _id: 50 });
    expect((await collection.deleteMany({ _id: { $lt: 100 } })).deletedCount).toBe(49);
    expect(await codeOf(collection.insertOne({ _id: -1 }))).toBe(NO_SPACE);
    rmSync(join(disk, 'other'));
    await collection.insertOne({ _id: -1 });
    expect(await collection.countDocuments()).toBe(inserted - 99);
    await expectConsistent(store.db);
    while (!existsSync(join(dir, 'reserve'))) await store.db.command({ ping: 1 });
    await store.close();
  },
  120_000,
);

withDisk(
  `a start on a full disk uses the reserve, and without one says what it needs and leaves no lock behind${unlessPermitted}`,
  async () => {
    const dir = join(disk, 'data');
    const store = await openTestStore({ dir, sync: true, housekeepingMs: 50 });
    await store.db.collection<Row>('x').insertMany(Array.from({ length: 500 }, (_, n) => ({ _id: n, a: n })));
    while (!existsSync(join(dir, 'reserve'))) await store.db.command({ ping: 1 });
    // As a process that was killed leaves it; the store here is closed only after the others have used the copy.
    const copy = join(disk, 'copy');
    await copyStore(dir, copyTo(copy), () => undefined);
    renameSync(join(dir, 'reserve'), join(copy, 'reserve'));
    occupy('other', 0);
    const owner = startOwner(copy, 'y');
    await owner.line(/^open/);
    expect(await owner.line(/^refused/)).toContain(`no space left on the disk of ${copy}: free at least 24 MiB there`);
    await owner.kill();
    // Gone where the owner could close the store before it was killed.
    rmSync(join(copy, 'data.db-shm'), { force: true });
    occupy('more', 0);
    const refused = startOwner(copy, 'y');
    expect(await refused.line(/^refused|^open/)).toBe(
      `refused no space left on the disk of ${copy}: free at least 24 MiB there, then start again`,
    );
    expect(readdirSync(copy).filter((name) => name.includes('lock'))).toEqual([]);
    rmSync(join(disk, 'more'));
    rmSync(join(disk, 'other'));
    const again = startOwner(copy, 'y');
    await again.line(/^inserted/);
    await again.kill();
    await store.close();
  },
  120_000,
);

function copyTo(dir: string): string {
  mkdirSync(dir);
  return join(dir, 'data.db');
}
