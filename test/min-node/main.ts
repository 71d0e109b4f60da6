/**
 * `npm run test:min-node`: the oldest Node of `engines` starts the server, which runs a workflow, is killed while it waits,
 * and finishes it after a restart; then a backup is made. All other tests run on the newest Node. Where npm has no package
 * of that Node for this machine, it says that this is skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIN_NODE_VERSION } from '../../start/version';
import { createWorkflow, ended, trigger, waitingFor } from '../e2e/support/runs';
import { Api, buildOnce, freePort, startServer } from '../support/server';

const ROOT = join(__dirname, '..', '..');
const STEPS = [
  { id: 'before', type: 'code', config: { source: 'return { sum: 40 + 2 };' } },
  { id: 'pause', type: 'wait', config: { for: '2s' } },
  { id: 'after', type: 'set', config: { sum: '{{ steps.before.sum }}' } },
];

/** The path of a Node of this version, installed by npm into `folder`; null where there is none. */
function installNode(folder: string): string | null {
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform}-${arch}@${MIN_NODE_VERSION}`;
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', name],
    { encoding: 'utf8' },
  );
  if (status === 0) return join(folder, 'node_modules', '.bin', 'node');
  console.warn(`SKIPPED: the tests on Node ${MIN_NODE_VERSION}: npm could not install ${name}\n${stderr}`);
  return null;
}

async function main(folder: string): Promise<void> {
  const node = installNode(folder);
  if (node === null) return;
  equal(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(), `v${MIN_NODE_VERSION}`);
  buildOnce();
  const options = { dataDir: join(folder, 'data'), port: await freePort(), node };
  const first = await startServer(options);
  const api = new Api(first.url);
  await api.register('min-node');
  const run = await trigger(api, await createWorkflow(api, STEPS));
  await waitingFor(api, run, 'timer');
  await first.kill();

  const second = await startServer(options);
  try {
    const { status, output } = await ended(api, run);
    equal(status, 'completed');
    equal(JSON.stringify(output), '{"sum":42}');
    const args = [join(ROOT, 'start', 'run.mjs'), '--script', 'start/backup/main', '--', join(folder, 'backup')];
    execFileSync(node, args, { env: { ...process.env, DATA_DIR: options.dataDir }, encoding: 'utf8' });
    equal(await second.stop(), 0);
    ok(!/warning/i.test(first.output() + second.output()), `warnings:\n${first.output()}${second.output()}`);
  } finally {
    await second.kill();
  }
  console.log(`Node ${MIN_NODE_VERSION}: started, killed, resumed, backed up`);
}

const folder = mkdtempSync(join(tmpdir(), 'everstep-min-node-'));
void main(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
