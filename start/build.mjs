// Compiles the project to dist/ when a source is newer than the last build. Used by `npm start`, so that nobody has
// to know about a build step; `--force` compiles regardless.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rooms = ['lib', 'dsl', 'nodes', 'runtime', 'services', 'mixins', 'embedded', 'start', 'cli', 'bench'];
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** True when dist/ is missing or older than a source; also where the sources were left out, as in an image. */
export function isStale() {
  if (!existsSync(join(root, 'moleculer.config.ts'))) return false;
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const sources = [...rooms, 'moleculer.config.ts', 'tsconfig.json', 'package.json'].map((name) => join(root, name));
  return sources.some((path) => existsSync(path) && newest(path) > built);
}

/** Compiles; ends the process with the compiler's words when it refuses. */
export function build({ checkTypes }) {
  // Aside, then put in place: another process that starts, or builds, meanwhile must not read half a program.
  const aside = join(root, `dist-${process.pid}`);
  mkdirSync(aside);
  // Before the compiler reads: what is saved while it runs makes this build stale.
  writeFileSync(join(aside, '.built'), '');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // Checking types takes eight times as long as compiling; a start does without, `npm run build` and the checks do not.
  const options = ['-p', join(root, 'start', 'tsconfig.json'), '--outDir', aside, ...(checkTypes ? [] : ['--noCheck'])];
  const result = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status === 0) replace(dist, aside);
  rmSync(aside, { recursive: true, force: true });
  if (result.status === 0) return;
  process.stderr.write('The build failed; see above.\n');
  process.exit(1);
}

function replace(folder, by) {
  const old = `${by}-old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(by, folder);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const force = process.argv.includes('--force');
  if (force || isStale()) build({ checkTypes: force });
}
