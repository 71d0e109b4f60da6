// A process that owns a store (its real worker thread) and inserts concurrently. It writes each acknowledged id to
// stdout only after the reply came. The test kills it and checks whether a reported id is missing.
const [dir, round] = process.argv.slice(2);
const { openStore } = require('../../../dist/embedded');
const { MongoClient } = require('mongodb');
const { writeSync } = require('node:fs');

async function main() {
  const store = await openStore({ dir });
  const client = new MongoClient(store.url);
  const c = client.db().collection('k');
  await c.createIndex({ lane: 1, n: -1 });
  await c.createIndex({ key: 1 }, { unique: true });
  writeSync(1, 'ready\n');
  const lane = async (lane) => {
    for (let n = 0; ; n++) {
      const _id = `${round}-${lane}-${n}`;
      await c.insertOne({ _id, lane, n, key: _id, tags: [n % 3, n % 5] });
      writeSync(1, `i ${_id}\n`);
      if (n % 3 === 0) {
        await c.updateOne({ _id }, { $set: { n: n + 0.5, seen: true } });
        writeSync(1, `u ${_id}\n`);
      }
      if (n % 7 === 6) {
        const gone = `${round}-${lane}-${n - 1}`;
        await c.deleteOne({ _id: gone });
        writeSync(1, `d ${gone}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => lane(i)));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
