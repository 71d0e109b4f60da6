import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Document } from 'mongodb';
import { openStore, storeFileFaults, StoreError } from '../../../embedded';
import { expectConsistent, openTestStore, type Row, temporaryFolder, type TestStore } from './harness';

jest.setTimeout(120_000);

const PAGE_BYTES = 4096;
/** The first byte of a page of the lowest level of an index (https://www.sqlite.org/fileformat.html). */
const INDEX_LEAF = 0x0a;

let store: TestStore;
let fatal: string[];
const file = (): string => join(store.dir, 'data.db');

beforeEach(async () => {
  fatal = [];
  store = await openTestStore({
    ttlIntervalMs: 20,
    housekeepingMs: 20,
    reserveBytes: 0,
    onFatal: ({ message }) => void fatal.push(message),
  });
});
afterEach(async () => {
  await store.close();
  expect(fatal).toEqual([]);
});

const row = (n: number): Row => ({ _id: n, key: `key-${n}`, text: `text-${n}-`.padEnd(300, 'x'), at: new Date(0) });
const rows = (from: number, to: number): Row[] => Array.from({ length: to - from }, (_, i) => row(from + i));

/** Two collections, of which one is to be damaged. */
async function fill(): Promise<void> {
  for (const name of ['damaged', 'sound']) {
    await store.db.collection<Row>(name).createIndex({ key: 1 });
    await store.db.collection<Row>(name).insertMany(rows(0, 4_000));
  }
}

/** Changes the data file while no process has it open, and starts again. */
const damage = (change: (bytes: Buffer) => void): Promise<void> =>
  store.restart(() => {
    const bytes = readFileSync(file());
    change(bytes);
    writeFileSync(file(), bytes);
  });

const find = (bytes: Buffer, text: string): number => {
  const at = bytes.indexOf(text);
  if (at < 0) throw new Error(`${text} is not in the file`);
  return at;
};

/** Overwrites the head of the page that holds `at`. */
function wreckPage(bytes: Buffer, at: number): void {
  const start = at - (at % PAGE_BYTES);
  bytes.fill(0xff, start, start + 64);
}

const flip = (bytes: Buffer, at: number): void => {
  bytes[at] = (bytes[at] as number) ^ 1;
};

const refused = (what: string): unknown =>
  expect.objectContaining({
    code: 365,
    codeName: 'DataCorruptionDetected',
    message: expect.stringMatching(new RegExp(`^${file()} is damaged: ${what}.*docs/backup.md`)),
  });

/** Reads and writes of everything else go on, before and after another start. */
async function expectOthersGoOn(): Promise<void> {
  for (const again of [false, true]) {
    if (again) await store.restart();
    const sound = store.db.collection<Row>('sound');
    expect(await sound.countDocuments({ text: /^text/ })).toBeGreaterThanOrEqual(3_990);
    expect(await sound.findOne({ key: 'key-17' })).toMatchObject({ _id: 17 });
    await sound.insertOne({ ...row(again ? 9_001 : 9_000), text: 'small' });
    await sound.updateOne({ _id: 5 }, { $set: { seen: again } });
    await sound.deleteOne({ _id: again ? 3_001 : 3_000 });
    expect(await store.db.command({ validate: 'sound' })).toMatchObject({ valid: true });
  }
}

const validate = (): Promise<Document> => store.db.command({ validate: 'damaged' });

test('a damaged page of documents fails the reads that reach it, and nothing else', async () => {
  await fill();
  await damage((bytes) => wreckPage(bytes, find(bytes, 'text-2000-')));
  for (let round = 0; round < 2; round++) {
    const damaged = store.db.collection<Row>('damaged');
    await expect(damaged.countDocuments({ text: /no/ })).rejects.toEqual(refused('collection everstep.damaged'));
    await expect(damaged.findOne({ _id: 2_000 })).rejects.toEqual(refused('collection everstep.damaged'));
    await expect(damaged.updateMany({}, { $set: { a: 1 } })).rejects.toEqual(refused('collection everstep.damaged'));
    await expect(damaged.deleteOne({ _id: 2_000 })).rejects.toEqual(refused('collection everstep.damaged'));
    expect(await damaged.findOne({ _id: 10 })).toMatchObject({ key: 'key-10' });
    const joined = store.db
      .collection('sound')
      .aggregate([
        { $match: { _id: { $lt: 3 } } },
        { $lookup: { from: 'damaged', localField: 'text', foreignField: 'text', as: 'same' } },
      ]);
    await expect(joined.toArray()).rejects.toEqual(refused('collection everstep.damaged'));
    await store.restart();
  }
  expect(await validate()).toMatchObject({ valid: false, errors: [expect.stringContaining('everstep.damaged')] });
  expect(storeFileFaults(file(), 5)).toEqual([expect.stringMatching(/page \d+/)]);
  await expectOthersGoOn();
});

test('a damaged page of an index fails what uses it, with the name of the index', async () => {
  await fill();
  await store.db.collection<Row>('damaged').dropIndex('key_1');
  await store.db.collection<Row>('damaged').createIndex({ text: 1 });
  await damage((bytes) => {
    for (let at = bytes.indexOf('text-2000-'); at >= 0; at = bytes.indexOf('text-2000-', at + 1))
      if (bytes[at - (at % PAGE_BYTES)] === INDEX_LEAF) wreckPage(bytes, at);
  });
  const damaged = store.db.collection<Row>('damaged');
  await expect(damaged.find().hint('text_1').toArray()).rejects.toEqual(
    refused('index text_1 of collection everstep.damaged'),
  );
  expect(await damaged.countDocuments({ key: /^key/ })).toBe(4_000);
  expect(await validate()).toMatchObject({
    valid: false,
    errors: expect.arrayContaining([expect.stringContaining('index text_1 of collection everstep.damaged')]),
  });
  await expectOthersGoOn();
});

test('a flipped bit in a stored text is an error, not data, and others of its page are read', async () => {
  await fill();
  await damage((bytes) => flip(bytes, find(bytes, 'text-2000-') + 8));
  const damaged = store.db.collection<Row>('damaged');
  await expect(damaged.findOne({ _id: 2_000 })).rejects.toEqual(
    refused('collection everstep.damaged: the checksum of record 2001 does not match'),
  );
  await expect(damaged.find().toArray()).rejects.toEqual(refused('collection everstep.damaged'));
  expect(await damaged.findOne({ _id: 2_001 })).toEqual(row(2_001));
  expect(await validate()).toMatchObject({ valid: false, nInvalidDocuments: 1, nrecords: 3_999 });
  expect(storeFileFaults(file(), 5)).toEqual([]);
  await expectOthersGoOn();
});

test('a flipped bit in a large document, in the pages behind its first, is an error', async () => {
  await fill();
  const large = { _id: 7, text: `${'l'.repeat(40_000)}needle${'l'.repeat(20_000)}` };
  await store.db.collection<Row>('large').insertOne(large);
  await damage((bytes) => flip(bytes, find(bytes, 'needle')));
  await expect(store.db.collection<Row>('large').findOne({ _id: 7 })).rejects.toEqual(
    refused('collection everstep.large: the checksum'),
  );
  await expectOthersGoOn();
});

test('an index entry that leads to another document is an error, not that document', async () => {
  await fill();
  await damage((bytes) => {
    // In the _id index: the key of 1234 (a double), then the record's number in six bytes, then the checksum.
    const record = Buffer.from('0000000004d3', 'hex');
    const at = bytes.indexOf(record);
    expect(bytes.indexOf(record, at + 1)).toBeGreaterThan(0);
    for (let next = at; next >= 0; next = bytes.indexOf(record, next + 1)) bytes[next + 5] = 0xd2;
  });
  for (const name of ['damaged', 'sound'])
    await expect(store.db.collection<Row>(name).findOne({ _id: 1_234 })).rejects.toEqual(
      refused(`index _id_ of collection everstep.${name}`),
    );
});

test('a damaged list of free pages fails writes that need one, and reads go on', async () => {
  await fill();
  await store.db.collection<Row>('damaged').deleteMany({ _id: { $gte: 100 } });
  await damage((bytes) => bytes.writeUInt32BE(0xffff_fff0, 32));
  const sound = store.db.collection<Row>('sound');
  await expect(sound.insertMany(rows(10_000, 12_000))).rejects.toMatchObject({ code: 365 });
  expect(await sound.countDocuments({ text: /^text/ })).toBe(4_000);
  expect(await store.db.collection('damaged').countDocuments()).toBe(100);
  expect(storeFileFaults(file(), 5)[0]).toMatch(/free/i);
});

test('background jobs on damaged collections leave those of the others alone', async () => {
  for (const name of ['first', 'second']) {
    await store.db.collection<Row>(name).insertMany(rows(0, 500));
    await store.db.collection<Row>(name).insertOne({ ...row(500), text: `mark of ${name}` });
  }
  await damage((bytes) => wreckPage(bytes, find(bytes, 'mark of first') - 2 * PAGE_BYTES));
  for (const name of ['first', 'second'])
    await store.db
      .collection(name)
      .createIndex({ at: 1 }, { expireAfterSeconds: 1 })
      .catch(() => undefined);
  while ((await store.db.collection('second').estimatedDocumentCount()) > 0);
  await store.db.collection('first').drop();
  await store.db.collection('second').drop();
  await store.restart();
  await expectConsistent(store.db);
});

describe('a start', () => {
  const opening = (dir: string): Promise<unknown> =>
    openStore({ dir, sync: false }).then(
      async (opened) => opened.close(),
      (error: unknown) => error,
    );

  test.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    ['an empty file', () => Buffer.alloc(0), /is empty: the data that was in it is lost.*docs\/backup.md/],
    ['a damaged header', (bytes) => bytes.fill(0, 0, 90), /is damaged \(file is not a database\).*docs\/backup.md/],
    [
      'a damaged list of collections',
      (bytes) => bytes.fill(0xff, PAGE_BYTES, 8 * PAGE_BYTES),
      /is damaged .*docs\/backup.md/,
    ],
    ['a file cut short', (bytes) => bytes.subarray(0, 3 * PAGE_BYTES), /is damaged .*docs\/backup.md/],
  ])('on %s is refused with the path and what to do', async (_what, change, message) => {
    await fill();
    let whole = Buffer.alloc(0);
    await store.restart(() => {
      whole = readFileSync(file());
    });
    const dir = temporaryFolder();
    const path = join(dir, 'data.db');
    writeFileSync(path, change(whole));
    const found = await opening(dir);
    expect(found).toBeInstanceOf(StoreError);
    expect((found as Error).message.startsWith(path)).toBe(true);
    expect((found as Error).message).toMatch(message);
    rmSync(dir, { recursive: true, force: true });
  });

  test('without the data file beside its log is refused', async () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'data.db-wal'), 'x');
    expect(await opening(dir)).toMatchObject({
      message: expect.stringContaining(`${join(dir, 'data.db')} is missing`),
    });
    rmSync(dir, { recursive: true, force: true });
  });
});

test('a folder of version 0.1.0, which had no checksums, is opened; a document has one once it is rewritten', async () => {
  await fill();
  await store.restart(() => {
    const db = new DatabaseSync(file());
    for (const table of ['meta', 'documents', 'indexes']) db.exec(`ALTER TABLE ${table} DROP COLUMN c`);
    db.close();
  });
  const damaged = store.db.collection<Row>('damaged');
  await expectConsistent(store.db);
  await damaged.updateOne({ _id: 1 }, { $set: { key: 'rewritten' } });
  await damage((bytes) => {
    flip(bytes, find(bytes, 'text-0-') + 1);
    flip(bytes, find(bytes, 'text-1-') + 1);
  });
  expect(await store.db.collection<Row>('damaged').findOne({ _id: 0 })).toMatchObject({ _id: 0 });
  await expect(store.db.collection<Row>('damaged').findOne({ _id: 1 })).rejects.toMatchObject({ code: 365 });
  await expectOthersGoOn();
});
