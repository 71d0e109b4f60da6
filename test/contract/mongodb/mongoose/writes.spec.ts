import { Schema } from 'mongoose';
import { useConnection } from './connection';

const db = useConnection('mongoose_writes');

describe('mongoose writes', () => {
  it('build the declared indexes, and the planner uses them', async () => {
    const Job = db().model(
      'Job',
      new Schema({ tenant: String, state: String, at: Date, key: String })
        .index({ tenant: 1, state: 1, at: -1 })
        .index({ tenant: 1, key: 1 }, { unique: true, partialFilterExpression: { key: { $type: 'string' } } })
        .index({ at: 1 }, { expireAfterSeconds: 3600 }),
    );
    await Job.init();
    const indexes = await Job.listIndexes();
    expect(indexes.map(({ name }) => name)).toEqual(['_id_', 'tenant_1_state_1_at_-1', 'tenant_1_key_1', 'at_1']);
    expect(indexes[2]).toMatchObject({ unique: true, partialFilterExpression: { key: { $type: 'string' } } });
    expect(indexes[3]).toMatchObject({ expireAfterSeconds: 3600 });
    expect(await Job.diffIndexes()).toEqual({ toDrop: [], toCreate: [] });
    const plan = await Job.find({ tenant: 't', state: 'open' }).sort({ at: -1 }).explain('queryPlanner');
    expect(JSON.stringify(plan)).toContain('IXSCAN');
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
  });

  it('refuse a second document with the same unique key, and name the key', async () => {
    const User = db().model(
      'User',
      new Schema({ tenant: String, email: String }).index({ tenant: 1, email: 1 }, { unique: true }),
    );
    await User.init();
    await User.create({ tenant: 't', email: 'a@example.org' });
    await expect(User.create({ tenant: 't', email: 'a@example.org' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { tenant: 1, email: 1 },
      keyValue: { tenant: 't', email: 'a@example.org' },
    });
    await User.create({ tenant: 'u', email: 'a@example.org' });
    await expect(User.updateOne({ tenant: 'u' }, { tenant: 't' })).rejects.toMatchObject({ code: 11000 });
    expect(await User.countDocuments()).toBe(2);
  });

  it('honour a partial and a sparse unique index', async () => {
    const Item = db().model(
      'Item',
      new Schema({ slug: String, code: { type: String, unique: true, sparse: true }, live: Boolean }).index(
        { slug: 1 },
        { unique: true, partialFilterExpression: { live: true } },
      ),
    );
    await Item.init();
    await Item.create([{ slug: 's', live: true }, { slug: 's', live: false }, { slug: 's' }]);
    await expect(Item.create({ slug: 's', live: true })).rejects.toMatchObject({ code: 11000 });
    await expect(Item.updateOne({ live: false }, { live: true })).rejects.toMatchObject({ code: 11000 });
  });

  it('go in bulk, and report what happened', async () => {
    const Entry = db().model('Entry', new Schema({ _id: Number, v: Number }));
    const result = await Entry.bulkWrite([
      { insertOne: { document: { _id: 1, v: 1 } } },
      { insertOne: { document: { _id: 2, v: 2 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { v: 10 } } } },
      { updateMany: { filter: { v: { $gt: 0 } }, update: { $mul: { v: 2 } } } },
      { replaceOne: { filter: { _id: 3 }, replacement: { v: 9 }, upsert: true } },
      { deleteOne: { filter: { _id: 2 } } },
    ]);
    expect(result).toMatchObject({
      insertedCount: 2,
      matchedCount: 3,
      modifiedCount: 3,
      upsertedCount: 1,
      deletedCount: 1,
    });
    expect(await Entry.find().sort({ _id: 1 }).select('v').lean()).toEqual([
      { _id: 1, v: 22 },
      { _id: 3, v: 9 },
    ]);
  });

  it('continue past a duplicate when unordered', async () => {
    const Entry = db().model('Entry', new Schema({ _id: Number }));
    await Entry.create({ _id: 2 });
    await expect(Entry.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }], { ordered: false })).rejects.toMatchObject({
      code: 11000,
    });
    expect(new Set(await Entry.distinct('_id'))).toEqual(new Set([1, 2, 3]));
  });

  it('claim from a queue once only, however many ask at the same time', async () => {
    const Job = db().model('Job', new Schema({ n: Number, owner: String }).index({ owner: 1, n: 1 }));
    await Job.init();
    await Job.insertMany(Array.from({ length: 40 }, (_, n) => ({ n, owner: null })));
    const claims = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        Job.findOneAndUpdate({ owner: null }, { owner: `w${i}` }, { sort: { n: 1 }, returnDocument: 'after' }).lean(),
      ),
    );
    const claimed = claims.flatMap((job) => job?.n ?? []).sort((a, b) => a - b);
    expect(claimed).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('update with a pipeline', async () => {
    const Score = db().model('Score', new Schema({ a: Number, b: Number, sum: Number }));
    await Score.create({ a: 2, b: 3 });
    await Score.updateOne({}, [{ $set: { sum: { $add: ['$a', '$b'] } } }], { updatePipeline: true });
    expect((await Score.findOne().orFail()).sum).toBe(5);
  });

  it('run hooks and delete through the model', async () => {
    const schema = new Schema({ name: String, slug: String });
    schema.pre('save', function setSlug() {
      this.slug = this.name?.toLowerCase();
    });
    const Page = db().model('Page', schema);
    const page = await Page.create({ name: 'About' });
    expect(page.slug).toBe('about');
    expect((await Page.deleteMany({ slug: 'about' })).deletedCount).toBe(1);
    expect(await Page.findById(page._id)).toBeNull();
  });

  it('in a transaction are refused, as a standalone server has none', async () => {
    const Entry = db().model('Entry', new Schema({ n: Number }));
    const attempt = db().transaction(async (session) => {
      await Entry.create([{ n: 1 }], { session });
    });
    await expect(attempt).rejects.toThrow(/does not support sessions|Transaction numbers are only allowed/);
    expect(await Entry.countDocuments()).toBe(0);
  });
});
