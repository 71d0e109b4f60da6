import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchServer, cpuSecondsOf, end, freePort, residentMiB } from './server';

const START_MS = 60_000;
const FIVE_STEPS = ['s1', 's2', 's3', 's4', 's5'];

/** The part of @restatedev/restate-sdk that this file uses. */
interface RestateSdk {
  service(definition: object): object;
  serve(options: { services: object[]; port: number }): Promise<unknown>;
}

interface RestateContext {
  run<T>(name: string, action: () => T): Promise<T>;
}

/** The path of the handler: five recorded steps, each reading the one before, as the workflow of this benchmark. */
export const RESTATE_PATH = '/bench/steps';

/**
 * Restate's own server, with a service in a process of its own. `folder` is one in which the packages
 * @restatedev/restate-server and @restatedev/restate-sdk are installed. Memory and processor time are of both processes.
 */
export async function startRestate(folder: string): Promise<BenchServer> {
  const data = await mkdtemp(join(tmpdir(), 'everstep-bench-restate-'));
  const [ingress, admin, fabric, service] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const server = spawn(join(folder, 'node_modules', '.bin', 'restate-server'), ['--no-logo', '--listen-mode', 'tcp'], {
    cwd: data,
    env: {
      ...process.env,
      RESTATE_BASE_DIR: data,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_LOG_FILTER: 'warn',
    },
    stdio: 'ignore',
  });
  const handler = spawn(process.execPath, [__filename, folder, String(service)], { stdio: ['ignore', 'ignore', 2] });
  const stop = async (): Promise<void> => {
    await Promise.all([end(server), end(handler)]);
    await rm(data, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_MS;
  while (!(await register(admin, service))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error('Restate did not start');
    }
    await sleep(200);
  }
  const pids = [await serverPid(server.pid as number), handler.pid as number];
  const sum = (of: (pid: number) => number): number => pids.reduce((total, pid) => total + of(pid), 0);
  return {
    url: `http://127.0.0.1:${ingress}`,
    rss: () => sum(residentMiB),
    cpuSeconds: () => sum(cpuSecondsOf),
    stop,
  };
}

async function register(admin: number, service: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
  }).catch(() => null);
  await response?.body?.cancel();
  return response?.ok === true;
}

/** The package's program starts the binary as a child. */
async function serverPid(parent: number): Promise<number> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return Number(children.trim().split(' ')[0] || parent);
}

if (require.main === module) {
  const [folder = '', port = ''] = process.argv.slice(2);
  const sdk = createRequire(join(folder, 'package.json'))('@restatedev/restate-sdk') as RestateSdk;
  const steps = async (ctx: RestateContext, body: { n: number }): Promise<{ n: number }> => {
    let n = body.n;
    for (const name of FIVE_STEPS) n = await ctx.run(name, () => n + 1);
    return { n };
  };
  void sdk.serve({ services: [sdk.service({ name: 'bench', handlers: { steps } })], port: Number(port) });
}
