/**
 * `npm run test:mongodb [-- SUITES]`: the suites that reach a database through the services, or through the runtime's store,
 * once more on MongoDB's own engine, so that nothing relies on a quirk of the built-in store. A command of its own, because
 * it runs again what `npm test` has run. TEST_MONGO_URL names another server; without one, and without the engine, it says
 * what is skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRealEngine } from '../contract/mongodb/differential/real-engine';

const ROOT = join(__dirname, '..', '..');

const SUITES = [
  ...[
    'audit',
    'auth',
    'billing',
    'alerts',
    'channels',
    'connections',
    'connectors',
    'executor',
    'keys',
    'knowledge',
    'migrations',
    'mixins',
    'organizations',
    'scheduler',
    'secrets',
    'skills',
  ],
  'workflows',
].map((name) => `test/integration/${name}/`);

/** An engine serves a few folders of suites: databases of thousands of tests slow it down. */
const SUITES_PER_ENGINE = 4;

/** How often a group of suites starts again on a new engine, after the engine's process has ended by itself. */
const MAX_ENGINE_RESTARTS = 2;

/** So many files that failed run once more, one at a time: tests that measure time can fail on a busy machine. */
const MAX_FILES_AGAIN = 4;

function jest(databaseUrl: string, suites: readonly string[], options: readonly string[] = []): ChildProcess {
  const bin = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  return spawn(process.execPath, [bin, ...options, ...suites], {
    cwd: ROOT,
    env: { ...process.env, TEST_MONGO_URL: databaseUrl },
    stdio: 'inherit',
  });
}

const exitCodeOf = (child: ChildProcess): Promise<number> =>
  new Promise((done) => child.once('close', (code) => done(code ?? 1)));

/**
 * One group on an engine of its own. The engine is an alpha version that sometimes ends by itself; its suites then fail
 * for a reason that is not theirs, so the group runs again on a new one. A failure while the engine serves is one when it repeats.
 */
async function onOwnEngine(suites: readonly string[], restarts = 0, isSecondTry = false): Promise<number> {
  const real = await startRealEngine();
  if (real.kind === 'absent') {
    console.warn(`SKIPPED: ${suites.join(' ')} on MongoDB's own engine: ${real.reason}`);
    return 0;
  }
  const results = join(mkdtempSync(join(tmpdir(), 'everstep-on-mongodb-')), 'results.json');
  const run = jest(real.engine.url, suites, [
    '--json',
    `--outputFile=${results}`,
    ...(isSecondTry ? ['--runInBand'] : []),
  ]);
  const finished = exitCodeOf(run);
  const first = await Promise.race([
    finished.then((code) => ({ kind: 'finished', code }) as const),
    real.exited.then((exit) => ({ kind: 'engine ended', exit }) as const),
  ]);
  if (first.kind === 'finished') {
    await real.engine.close();
    if (first.code === 0 || isSecondTry) return first.code;
    const failed = failedFilesOf(results);
    if (failed.length === 0 || failed.length > MAX_FILES_AGAIN) return first.code;
    console.warn(`Second try of ${failed.join(' ')}`);
    return onOwnEngine(failed, 0, true);
  }
  const { code, signal, output } = first.exit;
  console.warn(
    `MongoDB's engine ended by itself (code ${code}, signal ${signal}) during ${suites.join(' ')}:\n${output}`,
  );
  run.kill('SIGTERM');
  await finished;
  await real.engine.close();
  return restarts < MAX_ENGINE_RESTARTS ? onOwnEngine(suites, restarts + 1, isSecondTry) : 1;
}

/** Of a run's results as jest writes them. */
function failedFilesOf(results: string): string[] {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as {
    testResults: { name: string; status: string }[];
  };
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const suites = given.length > 0 ? given : [...SUITES, 'test/contract/runtime/'];
  const url = process.env.TEST_MONGO_URL;
  if (url) {
    process.exitCode = await exitCodeOf(jest(url, suites));
    return;
  }
  const failed: string[] = [];
  for (let n = 0; n < suites.length; n += SUITES_PER_ENGINE) {
    const group = suites.slice(n, n + SUITES_PER_ENGINE);
    if ((await onOwnEngine(group)) !== 0) failed.push(...group);
  }
  if (failed.length > 0) console.error(`Failed on MongoDB's engine, in: ${failed.join(' ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

void main();
