// Compiles the project to dist/ when a source is newer than the last build. Used by `npm start`, so that nobody has
// to know about a build step; `--force` compiles regardless.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rooms = ['lib', 'dsl', 'nodes', 'runtime', 'services', 'mixins', 'embedded', 'start', 'bench'];
const stamp = join(root, 'dist', '.built');

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
export function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [compiler, '-p', join(root, 'start', 'tsconfig.json')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (result.status !== 0) {
    process.stderr.write('The build failed; see above.\n');
    process.exit(1);
  }
  writeFileSync(stamp, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--force') || isStale()) build();
}
