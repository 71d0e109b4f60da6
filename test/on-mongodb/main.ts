/**
 * `npm run test:mongodb [-- SUITES]`: the suites that reach a database through the services, or through the runtime's store,
 * once more on MongoDB's own engine, so that nothing relies on a quirk of the built-in store. A command of its own, because
 * it runs again what `npm test` has run. TEST_MONGO_URL names another server; without one, and without the engine, it says
 * what is skipped.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startRealEngine } from '../contract/mongodb/differential/real-engine';

const ROOT = join(__dirname, '..', '..');

const SUITES = [
  ...[
    'audit',
    'auth',
    'billing',
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

async function jest(databaseUrl: string, suites: readonly string[]): Promise<number> {
  const bin = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [bin, ...suites], {
    cwd: ROOT,
    env: { ...process.env, TEST_MONGO_URL: databaseUrl },
    stdio: 'inherit',
  });
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)));
}

async function main(): Promise<void> {
  const given = process.argv.slice(2);
  const suites = given.length > 0 ? given : [...SUITES, 'test/contract/runtime/'];
  const url = process.env.TEST_MONGO_URL;
  if (url) {
    process.exitCode = await jest(url, suites);
    return;
  }
  const real = await startRealEngine();
  if (real.kind === 'absent') {
    console.warn(`SKIPPED: ${suites.length} groups of suites on MongoDB's own engine: ${real.reason}`);
    return;
  }
  try {
    process.exitCode = await jest(real.engine.url, suites);
  } finally {
    await real.engine.close();
  }
}

void main();
