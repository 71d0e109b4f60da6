import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputs } from './outputs';

const ROOT = join(__dirname, '..');

/** Writes what is made of the sources. With `--check`, writes nothing, and fails when a file is not as it would be made. */
function main(): number {
  const made = outputs(ROOT);
  if (!process.argv.includes('--check')) {
    for (const { path, text } of made) writeFileSync(join(ROOT, path), text);
    process.stdout.write(`${made.map(({ path }) => path).join('\n')}\n`);
    return 0;
  }
  const stale = made.filter(({ isCurrent }) => !isCurrent).map(({ path }) => path);
  if (stale.length > 0)
    process.stderr.write(`Not as the sources say; npm run generate mends it:\n${stale.join('\n')}\n`);
  return stale.length > 0 ? 1 : 0;
}

// Services that are made, though never started, may hold what keeps a process open.
process.exit(main());
