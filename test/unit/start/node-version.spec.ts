import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

describe('an entry that is started by a Node that is too old', () => {
  let folder: string;
  let preload: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'everstep-node-'));
    preload = join(folder, 'version.cjs');
    // Fakes the version of this process. Code that an older version could not load must not be reached.
    const versions = `{ ...process.versions, node: process.env.NODE_VERSION_CLAIMED }`;
    writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (entry: string, version: string) =>
    spawnSync(process.execPath, ['--require', preload, join(ROOT, entry), 'help'], {
      env: { ...process.env, NODE_VERSION_CLAIMED: version },
      encoding: 'utf8',
    });

  it.each(['start/run.mjs', 'cli/everstep.mjs'])('%s prints one sentence and ends with 1', (entry) => {
    const { status, stdout, stderr } = start(entry, '20.20.2');
    expect(stderr).toMatch(
      /^Everstep needs Node 22\.\d+\.0 or newer, and this is Node 20\.20\.2: install Node 24 .+\n$/,
    );
    expect([status, stdout]).toEqual([1, '']);
  });

  it.each([
    ['22.15.9', 1],
    ['22.16.0', 0],
    ['22.20.1', 0],
    ['24.0.0', 0],
  ])('Node %s: the command line ends with %d', (version, status) => {
    expect(start('cli/everstep.mjs', version).status).toBe(status);
  });
});

it('the Node that runs the tests is the one of the optional dependencies', () => {
  const { optionalDependencies } = require(join(ROOT, 'package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  const pinned = optionalDependencies[`node-${process.platform}-${process.arch}`];
  if (pinned === undefined) return;
  expect(process.versions.node).toBe(pinned);
});
