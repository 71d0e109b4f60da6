import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputs } from './outputs';

const ROOT = join(__dirname, '..');

/** Writes all generated files. With `--check`, writes nothing and fails when a file is out of date. */
function main(): number {
  const made = outputs(ROOT);
  if (!process.argv.includes('--check')) {
    for (const { path, text } of made) writeFileSync(join(ROOT, path), text);
    process.stdout.write(`${made.map(({ path }) => path).join('\n')}\n`);
    return 0;
  }
  const stale = made.filter(({ isCurrent }) => !isCurrent).map(({ path }) => path);
  if (stale.length > 0) process.stderr.write(`Out of date; run npm run generate:\n${stale.join('\n')}\n`);
  return stale.length > 0 ? 1 : 0;
}

// Services are created to read their schemas; some hold handles that keep the process open.
process.exit(main());
