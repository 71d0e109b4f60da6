// A process that owns a store (its real worker thread), writes and reads much more than memory may hold of it, and tells
// by how much its memory grew at most.
const [dir] = process.argv.slice(2);
const { openStore } = require('../../../dist/embedded');
const { MongoClient } = require('mongodb');

const megabytes = () => process.memoryUsage.rss() / 2 ** 20;

async function main() {
  const store = await openStore({ dir, sync: false });
  const client = new MongoClient(store.url);
  const c = client.db().collection('grow');
  await c.createIndex({ n: 1 });
  const base = megabytes();
  let max = 0;
  const timer = setInterval(() => {
    max = Math.max(max, megabytes());
  }, 20);
  const body = 'x'.repeat(4300);
  let open;
  for (let batch = 0; batch < 200; batch++) {
    await c.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: batch * 500 + i, n: i, body })));
    open ??= c.find().batchSize(100)[Symbol.asyncIterator]();
    await open.next();
    for await (const { _id } of c.find({ _id: { $gte: batch * 400, $lt: batch * 400 + 500 } }))
      if (_id < 0) throw new Error();
  }
  const { valid } = await client.db().command({ validate: 'grow' });
  clearInterval(timer);
  await client.close();
  await store.close();
  console.log(JSON.stringify({ base, max, valid }));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
