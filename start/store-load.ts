import { parseArgs } from 'node:util';
import { loadDatabase } from './store-copy';
import { runTool } from './store-tool';

/**
 * `npm run store:load -- --in DIR [--url mongodb://...]`: loads into the database of MONGO_URL, or the built-in store.
 */
runTool(async (withDatabase) => {
  const { values } = parseArgs({ options: { in: { type: 'string' }, url: { type: 'string' } } });
  const { in: dir, url } = values;
  if (dir === undefined) throw new Error('usage: npm run store:load -- --in DIR [--url mongodb://...]');
  await withDatabase(url, (db, progress) => loadDatabase(db, dir, progress));
});
