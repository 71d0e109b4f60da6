import { Decimal128, Double, Int32, Long } from 'mongodb';
import { dumpDatabase, loadDatabase } from '../../../start/store-copy';
import { openTestStore, temporaryFolder } from './harness';

const quiet = (): void => undefined;

test('a dump loaded elsewhere has the same documents, types, options and indexes', async () => {
  const [source, target] = [await openTestStore(), await openTestStore()];
  await source.db.createCollection('checked', { validator: { n: { $exists: true } } });
  const document = {
    _id: 1 as never,
    n: new Int32(1),
    d: new Double(1),
    l: Long.fromString('9007199254740993'),
    m: Decimal128.fromString('0.10'),
    at: new Date(5),
    r: /a/i,
    bin: Buffer.from('x'),
  };
  await source.db.collection('checked').insertOne(document);
  await source.db
    .collection('checked')
    .createIndex({ n: 1 }, { unique: true, partialFilterExpression: { n: { $gt: 0 } } });
  await source.db
    .collection('many')
    .insertMany(Array.from({ length: 3500 }, (_, i) => ({ _id: i as never, text: 'x'.repeat(i % 50) })));
  await source.db.createCollection('empty');
  const dir = temporaryFolder();
  expect(await dumpDatabase(source.db, dir, quiet)).toBe(3501);
  expect(await loadDatabase(target.db, dir, quiet)).toBe(3501);
  for (const name of ['checked', 'many', 'empty']) {
    const read = (store: typeof source) => store.db.collection(name).find({}, { raw: true }).toArray();
    expect(await read(target)).toEqual(await read(source));
    expect(await target.db.collection(name).indexes()).toEqual(await source.db.collection(name).indexes());
  }
  const options = async (store: typeof source) => (await store.db.listCollections({ name: 'checked' }).toArray())[0];
  expect(await options(target)).toMatchObject({ options: { validator: { n: { $exists: true } } } });
  await expect(loadDatabase(target.db, dir, quiet)).rejects.toThrow(/has documents already/);
  await expect(dumpDatabase(source.db, dir, quiet)).rejects.toThrow(/not empty/);
  await source.close();
  await target.close();
});
