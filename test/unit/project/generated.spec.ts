import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

test('what is made of the sources is as they say; npm run generate makes it anew', () => {
  const { status, stderr } = spawnSync(process.execPath, ['test/support/run.mjs', 'generate/main.ts', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([stderr, status]).toEqual(['', 0]);
}, 120_000);
