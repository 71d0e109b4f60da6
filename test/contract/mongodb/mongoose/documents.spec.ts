import { Schema, Types } from 'mongoose';
import { useConnection } from './connection';

const db = useConnection('mongoose_documents');

describe('mongoose documents', () => {
  it('are saved with defaults and read back with their types', async () => {
    const Task = db().model(
      'Task',
      new Schema({
        name: { type: String, required: true },
        state: { type: String, enum: ['open', 'done'], default: 'open' },
        weight: { type: Number, default: 1.5 },
        labels: { type: Map, of: String },
        payload: Buffer,
        price: Schema.Types.Decimal128,
        big: Schema.Types.BigInt,
        token: Schema.Types.UUID,
        dueAt: Date,
        anything: Schema.Types.Mixed,
      }),
    );
    const saved = await Task.create({
      name: 'first',
      labels: { colour: 'red' },
      payload: Buffer.from([0, 255]),
      price: '12.30',
      big: 9007199254740993n,
      token: '0b6d1f0e-7d6c-4b7a-9c53-0a4d9d2f5e11',
      dueAt: new Date(1_700_000_000_000),
      anything: { deep: [{ list: [1, 'two', null] }] },
    });
    const found = await Task.findById(saved._id).orFail();
    expect(found.state).toBe('open');
    expect(found.weight).toBe(1.5);
    expect(found.labels?.get('colour')).toBe('red');
    expect(found.payload && [...found.payload]).toEqual([0, 255]);
    expect(String(found.price)).toBe('12.30');
    expect(found.big).toBe(9007199254740993n);
    expect(String(found.token)).toBe('0b6d1f0e-7d6c-4b7a-9c53-0a4d9d2f5e11');
    expect(found.dueAt).toEqual(new Date(1_700_000_000_000));
    expect(found.anything).toEqual({ deep: [{ list: [1, 'two', null] }] });
  });

  it('that fail validation never reach the server', async () => {
    const Task = db().model('Task', new Schema({ name: { type: String, required: true } }));
    await expect(Task.create({})).rejects.toThrow(/`name` is required/);
    expect(await Task.countDocuments()).toBe(0);
  });

  it('carry timestamps, and an update moves only the second one', async () => {
    const Note = db().model('Note', new Schema({ text: String }, { timestamps: true }));
    const past = new Date(1000);
    const note = await Note.create({ text: 'a', createdAt: past, updatedAt: past });
    await Note.updateOne({ _id: note._id }, { text: 'b' });
    const found = await Note.findById(note._id).orFail();
    expect(found.createdAt).toEqual(past);
    expect(found.updatedAt.getTime()).toBeGreaterThan(past.getTime());
    await Note.updateOne({ text: 'upserted' }, { $set: { text: 'upserted' } }, { upsert: true });
    expect((await Note.findOne({ text: 'upserted' }).orFail()).createdAt).toBeInstanceOf(Date);
  });

  it('change nested documents and arrays in place', async () => {
    const Order = db().model(
      'Order',
      new Schema({
        customer: { name: String, city: String },
        lines: [{ item: String, count: Number }],
        tags: [String],
      }),
    );
    const order = await Order.create({
      customer: { name: 'Ada', city: 'London' },
      lines: [
        { item: 'pen', count: 1 },
        { item: 'ink', count: 2 },
      ],
      tags: ['new'],
    });
    order.set('customer.city', 'Paris');
    order.lines.push({ item: 'cap', count: 3 });
    order.lines[0]?.set('count', 10);
    order.lines.pull(order.lines[1]?._id);
    (order.tags as Types.Array<string>).addToSet('new', 'paid');
    await order.save();
    const found = await Order.findById(order._id).lean().orFail();
    expect(found.customer).toEqual({ name: 'Ada', city: 'Paris' });
    expect(found.lines.map(({ item, count }) => [item, count])).toEqual([
      ['pen', 10],
      ['cap', 3],
    ]);
    expect(found.tags).toEqual(['new', 'paid']);
  });

  it('update array elements by position, by filter and all at once', async () => {
    const List = db().model('List', new Schema({ items: [{ _id: false, key: String, n: Number }] }));
    const list = await List.create({ items: ['a', 'b', 'c'].map((key) => ({ key, n: 0 })) });
    await List.updateOne({ _id: list._id, 'items.key': 'b' }, { $set: { 'items.$.n': 1 } });
    await List.updateOne(
      { _id: list._id },
      { $inc: { 'items.$[late].n': 5 } },
      { arrayFilters: [{ 'late.key': { $gt: 'a' } }] },
    );
    await List.updateOne({ _id: list._id }, { $inc: { 'items.$[].n': 100 } });
    expect((await List.findById(list._id).orFail()).items.map(({ n }) => n)).toEqual([100, 106, 105]);
  });

  it('with a stale version are refused when the schema is optimistic', async () => {
    const Account = db().model('Account', new Schema({ balance: Number }, { optimisticConcurrency: true }));
    const { _id } = await Account.create({ balance: 1 });
    const [one, other] = await Promise.all([Account.findById(_id).orFail(), Account.findById(_id).orFail()]);
    one.balance = 2;
    await one.save();
    other.balance = 3;
    await expect(other.save()).rejects.toThrow(expect.objectContaining({ name: 'VersionError' }));
    expect((await Account.findById(_id).orFail()).balance).toBe(2);
  });

  it('of several kinds share a collection through discriminators', async () => {
    const Event = db().model('Event', new Schema({ at: Number }, { discriminatorKey: 'kind' }));
    const Click = Event.discriminator('Click', new Schema({ x: Number }));
    const Key = Event.discriminator('Key', new Schema({ code: String }));
    await Click.create({ at: 1, x: 7 });
    await Key.create({ at: 2, code: 'Enter' });
    const all = await Event.find().sort({ at: 1 });
    expect(all[0]).toBeInstanceOf(Click);
    expect(all[1]).toBeInstanceOf(Key);
    expect(await Click.countDocuments()).toBe(1);
    expect(await Key.findOne({ at: 1 })).toBeNull();
  });

  it('keep any id that the schema allows', async () => {
    const Counter = db().model('Counter', new Schema({ _id: String, n: { type: Number, default: 0 } }));
    const Pair = db().model('Pair', new Schema({ _id: { a: Number, b: Types.ObjectId }, v: Number }));
    const bump = (): Promise<number | undefined> =>
      Counter.findOneAndUpdate({ _id: 'runs' }, { $inc: { n: 1 } }, { upsert: true, returnDocument: 'after' }).then(
        (doc) => doc?.n,
      );
    expect([await bump(), await bump()]).toEqual([1, 2]);
    const b = new Types.ObjectId();
    await Pair.create({ _id: { a: 1, b }, v: 3 });
    expect((await Pair.findOne({ _id: { a: 1, b } }).orFail()).v).toBe(3);
  });
});
