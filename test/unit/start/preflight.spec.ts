import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../lib/config';
import { preflight } from '../../../start/preflight';

describe('before a start', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'everstep-preflight-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const check = (env: Record<string, string>) => preflight(readConfig({ PORT: '0', DATA_DIR: folder, ...env }));

  it('finds nothing when all checks pass', async () => {
    await expect(check({})).resolves.toBeUndefined();
  });

  it('names a port that is in use, and what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { HOST: '127.0.0.1', PORT: String(port) };
    await expect(check(env)).rejects.toThrow(`PORT ${port} is in use by another program: stop it, or set PORT`);
    await expect(check({ ...env, PORT: '0', METRICS_PORT: String(port) })).rejects.toThrow(
      `METRICS_PORT ${port} is in use`,
    );
    await expect(
      check({ ...env, SERVICES: 'executor', MONGO_URL: 'mongodb://127.0.0.1/test' }),
    ).resolves.toBeUndefined();
    server.close();
    await once(server, 'close');
    await expect(check(env)).resolves.toBeUndefined();
  });

  it('reports a data folder that is a file, or inside one', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(check({ DATA_DIR: file })).rejects.toThrow(`DATA_DIR ${file} is a file, not a folder`);
    await expect(check({ DATA_DIR: join(file, 'data') })).rejects.toThrow('is a file, or is inside one');
  });

  // Root may write everywhere.
  (process.getuid?.() === 0 ? it.skip : it)('names a data folder that may not be written', async () => {
    chmodSync(folder, 0o500);
    await expect(check({ DATA_DIR: join(folder, 'data') })).rejects.toThrow('cannot be written by this user');
  });
});
