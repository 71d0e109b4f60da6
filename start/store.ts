import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openStore } from '../embedded';
import { errorMessage } from '../lib/errors';
import { parseListen } from './listen';
import { fatal } from './error-text';

const USAGE = 'usage: npm run store -- [--listen 127.0.0.1:27017] [--dir data]';
const USER = 'everstep';

/** `npm run store`: the built-in document server as a process of its own, as MONGO_URL of a trial cluster. */
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

/** Created at the first start and kept with the data (mode 0600), so that the URL stays the same over restarts. */
function passwordOf(dir: string): string {
  const path = join(dir, 'password');
  const aside = `${path}.${process.pid}.new`;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(aside, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    // Never replaces an existing file: two concurrent starts must agree on one password.
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(path, 'utf8').trim();
}

// Expected faults are printed in one sentence: an address in use, a locked folder, an invalid option.
main().catch((fault: unknown) => fatal(errorMessage(fault)));
