import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../client';
import { CliError } from '../exits';
import { textAt } from '../workflows';
import type { World } from '../world';

const START_MS = 60_000;
const POLL_MS = 50;
const MAX_OUTPUT_CHARS = 20_000;

/** The compiled server beside the compiled command line, or the program that compiles it first. */
function programOf(): string {
  const compiled = join(__dirname, '..', '..', 'start', 'main.js');
  return existsSync(compiled) ? compiled : join(__dirname, '..', '..', 'start', 'run.mjs');
}

/** A server of its own on loopback, with a temporary data folder. */
export class TestServer {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly world: World,
  ) {}

  /** @throws CliError unreachable with the output of the server */
  static async start(world: World): Promise<TestServer> {
    const folder = await mkdtemp(join(tmpdir(), 'everstep-test-'));
    const port = await freePort();
    const { PATH, HOME, EGRESS_ALLOW } = world.env;
    const child = spawn(process.execPath, [programOf()], {
      env: {
        ...(PATH === undefined ? {} : { PATH }),
        ...(HOME === undefined ? {} : { HOME }),
        ...(EGRESS_ALLOW === undefined ? {} : { EGRESS_ALLOW }),
        PORT: String(port),
        HOST: '127.0.0.1',
        DATA_DIR: folder,
        METRICS_PORT: 'off',
        RATE_LIMIT: 'off',
        CONSOLE: 'off',
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-MAX_OUTPUT_CHARS)));
    const server = new TestServer(`http://127.0.0.1:${port}`, child, folder, world);
    const until = performance.now() + START_MS;
    while (!(await server.#isReady())) {
      if (child.exitCode === null && performance.now() < until && !world.signal.aborted) {
        await sleep(POLL_MS);
        continue;
      }
      await server.stop();
      throw new CliError('unreachable', `the server for the tests did not start:\n${output.trim()}`);
    }
    return server;
  }

  /** A client of a tenant of its own. */
  async tenant(): Promise<Client> {
    const slug = `test-${randomBytes(6).toString('hex')}`;
    const body = {
      tenant_slug: slug,
      tenant_name: slug,
      email: `owner@${slug}.example`,
      password: randomBytes(18).toString('base64url'),
    };
    const made = await new Client(this.url, null, this.world.signal).call('POST', '/api/v1/auth/register', body);
    return new Client(this.url, textAt(made, 'token'), this.world.signal);
  }

  /** Its data are of no use to anyone, so it is killed. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await gone;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/health/ready`);
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new CliError('unreachable', 'no free port on loopback');
  return address.port;
}
