import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '../embedded';
import { errorMessage } from '../lib/errors';
import { parseListen } from './listen';
import { fatal } from './words';

const USAGE = 'usage: npm run store -- [--listen 127.0.0.1:27017] [--dir data]';
const USER = 'everstep';

/** `npm run store`: the embedded document server on its own, as the MONGO_URL of every process of a trial cluster. */
async function main(): Promise<void> {
  const { listen, dir } = optionsOf(process.argv.slice(2));
  const store = await openStore({ dir, listen: { ...listen, user: USER, password: passwordOf(dir) }, onFatal: fatal });
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void store.close().then(() => process.exit(0), fatal));
  process.stdout.write(`\n  The document store is up (pid ${process.pid}), its data in ${dir}\n`);
  process.stdout.write(`  MONGO_URL=${store.url}\n\n`);
}

function optionsOf(args: string[]): { listen: { host: string; port: number }; dir: string } {
  try {
    const { values } = parseArgs({ args, options: { listen: { type: 'string' }, dir: { type: 'string' } } });
    return {
      listen: parseListen(values.listen ?? '127.0.0.1:27017'),
      dir: resolve(values.dir ?? process.env.DATA_DIR ?? 'data'),
    };
  } catch (error) {
    throw new Error(`${errorMessage(error)}\n${USAGE}`, { cause: error });
  }
}

/** Made at the first start and kept with the data, for its owner's eyes only: the URL stays the same over restarts. */
function passwordOf(dir: string): string {
  const path = join(dir, 'password');
  const aside = `${path}.${process.pid}.new`;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(aside, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    // Never in the place of a file that is there: two starts at once must agree on one password.
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(path, 'utf8').trim();
}

// Whatever hinders its start is told in a sentence: a place that is taken, a folder that is locked, a misspelt option.
main().catch((fault: unknown) => fatal(errorMessage(fault)));
