import { Schema, Types } from 'mongoose';
import { useConnection } from './connection';

const db = useConnection('mongoose_queries');

function library() {
  const Author = db().model('Author', new Schema({ name: String }));
  const Book = db().model(
    'Book',
    new Schema({
      title: String,
      year: Number,
      author: { type: Schema.Types.ObjectId, ref: 'Author' },
      readers: [{ type: Schema.Types.ObjectId, ref: 'Author' }],
    }),
  );
  Author.schema.virtual('books', { ref: 'Book', localField: '_id', foreignField: 'author' });
  return { Author, Book };
}

async function filledLibrary() {
  const { Author, Book } = library();
  const [ada, bob] = await Author.create([{ name: 'Ada' }, { name: 'Bob' }]);
  await Book.insertMany([
    { title: 'One', year: 1990, author: ada, readers: [bob, ada] },
    { title: 'Two', year: 2000, author: ada, readers: [] },
    { title: 'Three', year: 2010, author: bob, readers: [ada] },
    { title: 'Lost', year: 2020, author: new Types.ObjectId() },
  ]);
  return { Author, Book };
}

describe('mongoose queries', () => {
  it('populate references, lists of them and virtuals', async () => {
    const { Author, Book } = await filledLibrary();
    const books = await Book.find()
      .sort({ year: 1 })
      .populate<{ author: { name: string } | null; readers: { name: string }[] }>(['author', 'readers'])
      .lean();
    expect(books.map(({ author, readers }) => [author?.name, readers?.map((one) => one.name)])).toEqual([
      ['Ada', ['Bob', 'Ada']],
      ['Ada', []],
      ['Bob', ['Ada']],
      [undefined, []],
    ]);
    const ada = await Author.findOne({ name: 'Ada' })
      .populate<{ books: { title: string }[] }>({ path: 'books', options: { sort: { year: -1 } } })
      .orFail();
    expect(ada.books.map(({ title }) => title)).toEqual(['Two', 'One']);
  });

  it('sort, skip, limit and select', async () => {
    const { Book } = await filledLibrary();
    const found = await Book.find({ year: { $gte: 1990 } })
      .sort('-year')
      .skip(1)
      .limit(2)
      .select('title -_id')
      .lean();
    expect(found).toEqual([{ title: 'Three' }, { title: 'Two' }]);
    expect(await Book.exists({ title: /^T/ })).not.toBeNull();
    expect(await Book.distinct('year', { year: { $lt: 2005 } })).toEqual([1990, 2000]);
    expect(await Book.estimatedDocumentCount()).toBe(4);
  });

  it('give plain objects when lean', async () => {
    const { Book } = await filledLibrary();
    const lean = await Book.findOne({ title: 'One' }).lean().orFail();
    expect(Object.getPrototypeOf(lean)).toBe(Object.prototype);
    expect(lean._id).toBeInstanceOf(Types.ObjectId);
  });

  it('stream with a cursor across many batches', async () => {
    const Row = db().model('Row', new Schema({ n: Number }));
    await Row.insertMany(Array.from({ length: 250 }, (_, n) => ({ n })));
    const seen: (number | null | undefined)[] = [];
    for await (const row of Row.find().sort({ n: 1 }).batchSize(20).cursor()) seen.push(row.n);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, n) => n));
  });

  it('stop early without leaving a cursor behind', async () => {
    const Row = db().model('Row', new Schema({ n: Number }));
    await Row.insertMany(Array.from({ length: 50 }, (_, n) => ({ n })));
    const cursor = Row.find().batchSize(5).cursor();
    expect((await cursor.next())?.n).toBe(0);
    const { id } = (cursor as unknown as { cursor: { id: unknown } }).cursor;
    await cursor.close();
    await expect(db().db?.command({ getMore: id, collection: Row.collection.name })).rejects.toMatchObject({
      code: 43,
    });
  });

  it('aggregate with grouping and a lookup', async () => {
    const { Book } = await filledLibrary();
    const rows = await Book.aggregate([
      { $lookup: { from: 'authors', localField: 'author', foreignField: '_id', as: 'by' } },
      { $unwind: '$by' },
      { $group: { _id: '$by.name', count: { $sum: 1 }, last: { $max: '$year' }, titles: { $push: '$title' } } },
      { $sort: { _id: 1 } },
    ]);
    expect(rows).toEqual([
      { _id: 'Ada', count: 2, last: 2000, titles: ['One', 'Two'] },
      { _id: 'Bob', count: 1, last: 2010, titles: ['Three'] },
    ]);
    const [page] = await Book.aggregate([
      {
        $facet: {
          total: [{ $count: 'n' }],
          page: [{ $sort: { year: -1 } }, { $limit: 1 }, { $project: { _id: 0, title: 1 } }],
        },
      },
    ]);
    expect(page).toEqual({ total: [{ n: 4 }], page: [{ title: 'Lost' }] });
  });

  it('take what users send as values, never as operators, when the filter is sanitized', async () => {
    const { Book } = await filledLibrary();
    const hostile: unknown = { $ne: null };
    await expect(Book.find({ year: hostile as number }).setOptions({ sanitizeFilter: true })).rejects.toThrow(
      /Cast to Number/,
    );
  });
});
