// Compiles the project to dist/ when a source is newer than the last build. `npm start` calls it, so no separate build
// step is needed; `--force` compiles always.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, isConsoleMissing, isConsoleStale } from './build-console.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const rooms = [
  'lib',
  'dsl',
  'nodes',
  'runtime',
  'contracts',
  'services',
  'mixins',
  'embedded',
  'start',
  'cli',
  'bench',
];
const dist = join(root, 'dist');
const stamp = join(dist, '.built');

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** True when dist/ is missing or older than a source. False without sources, as in an image. */
export function isStale() {
  if (!existsSync(join(root, 'moleculer.config.ts'))) return false;
  if (!existsSync(stamp)) return true;
  const built = statSync(stamp).mtimeMs;
  const sources = [...rooms, 'moleculer.config.ts', 'tsconfig.json', 'package.json'].map((name) => join(root, name));
  return sources.some((path) => existsSync(path) && newest(path) > built);
}

/** Compiles; prints compiler errors and ends the process when it fails. */
export async function build({ checkTypes }) {
  // Compiling takes less than a second and checking types several: a start only compiles.
  if (checkTypes) runTypeScript();
  // Compiled into a temporary folder, then moved: a process that starts meanwhile must not read half a build.
  const aside = join(root, `dist-${process.pid}`);
  mkdirSync(aside);
  // Written before compiling: a source saved during the build makes it stale.
  writeFileSync(join(aside, '.built'), '');
  try {
    // Imported here, as most starts compile nothing.
    const { transformFile } = await import('@swc/core');
    await Promise.all(sources().map((file) => compile(transformFile, file, join(aside, relative(root, file)))));
    replace(dist, aside);
  } catch (fault) {
    process.stderr.write(`${fault.message ?? fault}\nThe build failed; see above.\n`);
    process.exitCode = 1;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  if (process.exitCode === 1) process.exit();
}

function runTypeScript() {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['-p', join(root, 'start', 'tsconfig.json'), '--noEmit'];
  const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  process.stderr.write('The build failed; see above.\n');
  process.exit(1);
}

function sources() {
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true }).map((name) => join(root, room, name)),
  );
  return [
    ...files.filter((file) => /(?<!\.d)\.ts$|(?<!tsconfig)\.json$/.test(file)),
    join(root, 'moleculer.config.ts'),
  ];
}

async function compile(transformFile, file, to) {
  await mkdir(dirname(to), { recursive: true });
  if (!file.endsWith('.ts')) return copyFile(file, to);
  const { code } = await transformFile(file, {
    swcrc: false,
    jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
    // Loads packages at first use: a start reads a third fewer files and holds 60 MiB less.
    module: { type: 'commonjs', lazy: true },
  });
  await writeFile(to.replace(/ts$/, 'js'), code);
}

function replace(folder, by) {
  const old = `${by}-old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(by, folder);
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const force = process.argv.includes('--force');
  const consoleBuilt = (force && !isConsoleMissing()) || isConsoleStale() ? buildConsole() : true;
  if (force || isStale()) await build({ checkTypes: force });
  if (!(await consoleBuilt)) process.exitCode = 1;
}
