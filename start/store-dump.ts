import { parseArgs } from 'node:util';
import { dumpDatabase } from './store-copy';
import { runTool } from './store-tool';

/** `npm run store:dump -- --out DIR [--url mongodb://...]`: dumps the database of MONGO_URL, or the built-in store. */
runTool(async (withDatabase) => {
  const { values } = parseArgs({ options: { out: { type: 'string' }, url: { type: 'string' } } });
  const { out, url } = values;
  if (out === undefined) throw new Error('usage: npm run store:dump -- --out DIR [--url mongodb://...]');
  await withDatabase(url, (db, progress) => dumpDatabase(db, out, progress));
});
