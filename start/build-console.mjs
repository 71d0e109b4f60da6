// Builds the web console into console/dist when its sources are newer. A start does so in a process of its own, while
// the server answers already.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const room = join(root, 'console');
const dist = join(room, 'dist');
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const SOURCES = [
  'src',
  'public',
  'index.html',
  'package.json',
  'vite.config.mjs',
  '../clients/typescript/src',
  '../dsl',
  '../lib/brand-colors.ts',
];

/** When the newest file of a folder was changed. */
export function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** True when a source is newer than the build. False where it cannot be built: in an image, or without development packages. */
export function isConsoleStale() {
  if (!existsSync(join(room, 'src')) || !existsSync(vite)) return false;
  const built = statSync(join(dist, 'index.html'), { throwIfNoEntry: false });
  return built === undefined || SOURCES.some((name) => newest(join(room, name)) > built.mtimeMs);
}

/** True where there is no console to serve, and nothing to build it with. */
export const isConsoleMissing = () => !existsSync(join(dist, 'index.html')) && !existsSync(vite);

/** Builds into a folder of its own, and moves it into place when it is whole. Resolves to false when the build failed. */
export async function buildConsole() {
  const aside = join(room, `dist-${process.pid}`);
  // Also when this process ends before, as when types are wrong.
  const remove = () => rmSync(aside, { recursive: true, force: true });
  process.once('exit', remove);
  // A caller such as a test runner has another NODE_ENV, with which React's development build would be used.
  const ok = await run([vite, 'build', '--logLevel', 'warn'], { CONSOLE_OUT: aside, NODE_ENV: 'production' });
  if (ok) replace(aside);
  process.off('exit', remove);
  remove();
  return ok;
}

/** The development server, which loads changed modules into open pages. */
export const serveConsole = (env) =>
  spawn(process.execPath, [vite], { cwd: room, stdio: 'inherit', env: { ...process.env, ...env } });

function replace(aside) {
  const old = `${aside}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(aside, dist);
  rmSync(old, { recursive: true, force: true });
}

function run(args, env) {
  return new Promise((resolve) => {
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    const child = spawn(process.execPath, args, {
      cwd: room,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, ...env },
    });
    const settle = (ok) => {
      process.off('exit', kill);
      resolve(ok);
    };
    child.on('error', () => settle(false));
    child.on('close', (code) => settle(code === 0));
  });
}
