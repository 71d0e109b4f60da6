// `npm start`: builds when a source has changed, then runs the compiled program in this process, so that signals and
// exit codes need no forwarding. `--script NAME` runs another compiled file; `--watch` restarts on change.
import './node.mjs';
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isStale } from './build.mjs';
import { buildConsole, isConsoleMissing, isConsoleStale, serveConsole } from './build-console.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');

if (process.argv.includes('--watch')) {
  watchAndRestart();
} else {
  if (isStale()) {
    // On standard error, as scripts print results on standard output.
    process.stderr.write('Compiling the sources, which takes a few seconds ...\n');
    await build({ checkTypes: false });
  }
  const at = process.argv.indexOf('--script');
  const script = at < 0 ? 'start/main' : process.argv[at + 1];
  if (at >= 0) process.argv.splice(at, 2);
  else prepareConsole();
  createRequire(import.meta.url)(join(root, 'dist', `${script}.js`));
}

/** Builds beside the server. A failed build is reported, and the server stays. */
function prepareConsole() {
  if (process.env.CONSOLE === 'off') return;
  if (isConsoleMissing())
    process.stderr.write('There is no console: install with development packages, and run npm run build.\n');
  else if (isConsoleStale())
    void buildConsole().then((ok) => {
      if (!ok) process.stderr.write('The console could not be built; see above. The API works.\n');
    });
}

function watchAndRestart() {
  if (process.env.CONSOLE !== 'off') serveConsole();
  let child;
  let timer;
  const start = () => {
    child = spawn(process.execPath, [join(here, 'run.mjs')], { stdio: 'inherit' });
  };
  watch(root, { recursive: true }, (_event, file) => {
    if (file === null || !file.endsWith('.ts') || /^(node_modules|dist|data|test|console)\b/.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // A child that has already ended (a failed build, a crash) emits no second exit event.
      if (child.exitCode !== null || child.signalCode !== null) return start();
      child.once('exit', start);
      child.kill('SIGTERM');
    }, 200);
  });
  start();
}
