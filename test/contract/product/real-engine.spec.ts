import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type RealEngine, startRealEngine } from '../mongodb/differential/real-engine';

const ROOT = join(__dirname, '..', '..', '..');

/** The suites that talk to a database through the services, or through the runtime's store. */
const SUITES = ['auth', 'secrets', 'workflows', 'channels', 'executor', 'mixins'].map(
  (name) => `test/integration/${name}`,
);

/** Runs jest once more in a process of its own; its closing words, and whether all passed. */
async function runAgain(databaseUrl: string): Promise<{ passed: boolean; words: string }> {
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [jest, '--runInBand', ...SUITES, 'test/contract/runtime'], {
    cwd: ROOT,
    env: { ...process.env, TEST_MONGO_URL: databaseUrl, JEST_WORKER_ID: undefined },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-20_000)));
  const code = await new Promise((done) => child.once('close', done));
  return { passed: code === 0, words };
}

describe('the product on MongoDB itself', () => {
  let real: RealEngine;
  beforeAll(async () => {
    real = await startRealEngine();
    if (real.kind === 'absent') console.warn(`SKIPPED: integration tests on MongoDB's own engine: ${real.reason}`);
  }, 180_000);
  afterAll(async () => {
    if (real?.kind === 'running') await real.engine.close();
  });

  it('passes its integration tests there too, so nothing relies on a quirk of the embedded store', async () => {
    if (real.kind === 'absent') return expect(real.reason).not.toBe('');
    const { passed, words } = await runAgain(real.engine.url);
    expect(passed ? 'passed' : words).toBe('passed');
    expect(words).toMatch(/Tests: +\d+ passed/);
  }, 300_000);
});
