import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, startServer } from '../support/server';

const ROOT = join(__dirname, '..', '..');
/** The logger, which the bundle leaves out because its transports load their own files, and the folder of compiled code. */
const LOADED_PACKAGES = new Set([
  '.cache',
  '@pinojs/redact',
  'atomic-sleep',
  'on-exit-leak-free',
  'pino',
  'pino-std-serializers',
  'quick-format-unescaped',
  'safe-stable-stringify',
  'sonic-boom',
  'thread-stream',
]);

describe('what a start loads', () => {
  let dataDir: string;
  let loaded: readonly string[];

  beforeAll(async () => {
    buildOnce();
    dataDir = await mkdtemp(join(tmpdir(), 'everstep-loads-'));
    const file = join(dataDir, 'loads');
    const server = await startServer({
      dataDir,
      port: await freePort(),
      env: { LOADS_FILE: file },
      program: ['--require', join(__dirname, 'support', 'record-loads.cjs'), join(ROOT, 'start', 'run.mjs')],
    });
    try {
      loaded = (await readFile(file, 'utf8')).trim().split('\n');
    } finally {
      await server.stop();
    }
  }, 60_000);

  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('has no package outside of the bundle but the logger: no SDK, parser, database client or mailer', () => {
    const packages = loaded.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
    expect(packages).toContain('pino');
    expect([...new Set(packages)].filter((name) => !LOADED_PACKAGES.has(name))).toEqual([]);
  });

  it('has no module of the project outside of the bundles', () => {
    const modules = loaded.filter((path) => path.startsWith(join(ROOT, 'dist')) && path.endsWith('.js'));
    expect([...new Set(modules.map((path) => path.slice(ROOT.length + 1)))].toSorted()).toEqual([
      'dist/embedded/server/worker.js',
      'dist/start/code-cache.js',
      'dist/start/main.js',
      'dist/start/program.js',
    ]);
  });

  it('does not read the OpenAPI document', () => {
    expect(loaded.filter((path) => path.endsWith('openapi/document.json'))).toEqual([]);
  });
});
