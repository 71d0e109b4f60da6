import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../../support/server';

/** A server with an account, which can die and come back with its data. */
interface KillableServer {
  readonly api: Api;
  readonly url: string;
  /** SIGKILL, and a start with the same data at the same address. */
  killAndRestart(): Promise<void>;
}

/** Starts a server before the tests of a file, and removes it after them. */
export function killableServer(name: string): KillableServer {
  let dataDir: string;
  let port: number;
  let server: ServerProcess;
  let api: Api;
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir, port });
  };
  beforeAll(async () => {
    buildOnce();
    dataDir = await mkdtemp(join(tmpdir(), `everstep-${name}-`));
    port = await freePort();
    await start();
    api = new Api(server.url);
    const account = {
      tenant_slug: name,
      tenant_name: name,
      email: 'ada@example.com',
      password: 'correct-horse-battery',
    };
    api.token = (await api.call<{ token: string }>('POST', '/api/v1/auth/register', account)).token;
  }, 60_000);
  afterAll(async () => {
    await server?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    get api() {
      return api;
    },
    get url() {
      return server.url;
    },
    async killAndRestart() {
      await server.kill();
      await start();
    },
  };
}
