import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../../support/server';

/** One installation: a data folder, a port, and a server process that a test starts and stops. */
export class Installation {
  #server: ServerProcess | null = null;

  private constructor(
    readonly dataDir: string,
    readonly port: number,
    readonly env: Record<string, string>,
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Installation> {
    buildOnce();
    const dataDir = await mkdtemp(join(tmpdir(), 'everstep-e2e-'));
    return new Installation(dataDir, await freePort(), { EGRESS_ALLOW: '127.0.0.1', RATE_LIMIT: 'off', ...env });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get server(): ServerProcess {
    if (this.#server === null) throw new Error('The server is not started');
    return this.#server;
  }

  async start(env: Record<string, string> = {}): Promise<ServerProcess> {
    this.#server = await startServer({ dataDir: this.dataDir, port: this.port, env: { ...this.env, ...env } });
    return this.#server;
  }

  /** Kills the running processes and removes the data. */
  async remove(): Promise<void> {
    await this.#server?.kill();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
