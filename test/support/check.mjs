// `npm run check`: all checks of the sources. Runs all of them, prints a line for each, and fails at the
// end when any did. Names after `--` pick some: `npm run check -- lint types`.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The commands, as a package's program and its arguments. */
const CHECKS = {
  format: ['biome', 'format', '.'],
  lint: ['oxlint', '--type-aware', '--deny-warnings', '.'],
  generated: ['node', 'test/support/run.mjs', 'generate/main.ts', '--check'],
  openapi: ['redocly', 'lint', 'services/api-gateway/openapi/document.json', '--config', 'redocly.yaml'],
  types: ['tsc', '--noEmit', '-p', 'tsconfig.json'],
  client: ['tsc', '--noEmit', '-p', 'clients/typescript'],
  console: ['tsc', '--noEmit', '-p', 'console'],
  layers: ['jest', 'test/unit/project'],
  words: ['node', 'test/support/run.mjs', 'test/support/check-words.ts'],
  exports: ['node', 'test/support/run.mjs', 'test/support/check-exports.ts'],
  duplicates: ['jscpd', '-c', '.jscpd.json', '--exit-code', '1', '--fail-on-empty'],
  'duplicates in tests': ['jscpd', '-c', '.jscpd.tests.json', '--exit-code', '1', '--fail-on-empty'],
};

function run([program, ...args]) {
  return new Promise((resolve) => {
    const path = program === 'node' ? process.execPath : join(root, 'node_modules', '.bin', program);
    const child = spawn(path, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ ok: false, output: `${error.message}\n` }));
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

const asked = process.argv.slice(2).filter((name) => name !== '--');
const unknown = asked.filter((name) => !Object.hasOwn(CHECKS, name));
if (unknown.length > 0) {
  console.error(`No such check: ${unknown.join(', ')}. There are: ${Object.keys(CHECKS).join(', ')}`);
  process.exit(2);
}

const failed = [];
for (const [name, command] of Object.entries(CHECKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const began = performance.now();
  const { ok, output } = await run(command);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name.padEnd(20)} ${seconds.padStart(5)} s`);
  if (!ok) {
    failed.push(name);
    console.log(output.trimEnd().replaceAll(/^/gm, '        '));
  }
}
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
