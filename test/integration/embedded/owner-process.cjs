// A process that opens a store and inserts documents until it is ended; it prints one line for each event.
const [dir, name] = process.argv.slice(2);
const { openStore } = require('../../../dist/embedded');
const { MongoClient } = require('mongodb');
const { writeSync } = require('node:fs');

async function main() {
  const store = await openStore({ dir });
  writeSync(1, 'open\n');
  const client = new MongoClient(store.url);
  for (let n = 0; ; n++) {
    await client
      .db()
      .collection(name)
      .insertOne({ _id: `${name}-${n}` });
    writeSync(1, `inserted ${name}-${n}\n`);
  }
}

main().catch((error) => {
  writeSync(1, `refused ${error.message}\n`);
  process.exit(1);
});
