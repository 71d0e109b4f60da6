import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Redis from 'ioredis';
import { MongoClient } from 'mongodb';
import { SMTPServer } from 'smtp-server';
import { openStore } from '../../../embedded';
import { readConfig } from '../../../lib/config';
import { CHECKS } from '../../../start/doctor/checks';
import type { Severity } from '../../../start/doctor/finding';
import { examine, type Report } from '../../../start/doctor/run';
import { startProcess } from '../../../start/process';
import { describeWith, startOwnNats, startOwnRedis } from '../../support/daemons';
import { freePort } from '../../support/server';

const PASSWORD = 'pa55word-of-the-test';
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'everstep-doctor-test-'));
  folders.push(folder);
  return folder;
};
const base = (env: Record<string, string> = {}): Record<string, string> => ({
  HOST: '127.0.0.1',
  PORT: '0',
  LOG_LEVEL: 'fatal',
  DATA_DIR: join(newFolder(), 'data'),
  ...env,
});

/** What some checks find, from `severity` on. No finding may hold the password. */
async function found(names: readonly string[], env: Record<string, string>, severity: Severity = 'warning') {
  const checks = CHECKS.filter(({ name }) => names.includes(name));
  expect(checks).toHaveLength(names.length);
  const reports = await examine(base(env), checks);
  expect(JSON.stringify(reports)).not.toContain(PASSWORD);
  const serious: readonly Severity[] = severity === 'fault' ? ['fault'] : ['warning', 'fault'];
  return reports.filter((report) => serious.includes(report.severity));
}

const whats = (reports: readonly Report[]): string => reports.map(({ what }) => what).join('\n');

async function serving(answer: RequestListener, action: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await action((server.address() as AddressInfo).port);
  server.closeAllConnections();
  server.close();
}

afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

describe('doctor: a deployment with the built-in store', () => {
  let env: Record<string, string>;

  beforeAll(async () => {
    env = base();
    await (await startProcess(readConfig(env), () => undefined)).stop();
  }, 60_000);

  it('finds no fault in a store that has just stopped, or does not exist yet', async () => {
    expect((await examine(env)).filter(({ severity }) => ['warning', 'fault'].includes(severity))).toEqual([]);
    expect((await examine(base())).filter(({ severity }) => severity === 'fault')).toEqual([]);
  });

  it('checks a running service, and reports missing, different and unknown indexes', async () => {
    const store = await openStore({ dir: env.DATA_DIR as string });
    const client = await MongoClient.connect(store.url);
    const db = client.db();
    await db.collection('hosts').dropIndex('by_lease');
    await db.collection('tenants').dropIndex('slug_1');
    await db.collection('users').createIndex({ nothing: 1 }, { name: 'mine' });
    await db.collection('step_cache').dropIndex('over');
    await db.collection('step_cache').createIndex({ until: 1 }, { name: 'over', expireAfterSeconds: 7 });
    const reports = await examine(env);
    const problems = reports
      .filter(({ check }) => check === 'indexes')
      .map(({ severity, what }) => `${severity} ${what.split(' ')[0]}`);
    expect(problems.sort()).toEqual([
      'fault step_cache.over',
      'fault tenants.slug_1',
      'note users.mine',
      'warning hosts.by_lease',
    ]);
    expect(whats(reports)).toContain('served by a running process');
    await client.close();
    await store.close();
  });

  it('reports keys that are readable by others, not random, or not those of the data', async () => {
    const file = join(env.DATA_DIR as string, 'keys.json');
    const right = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    expect(whats(await found(['data folder'], env, 'fault'))).toContain('can be read by other users (644)');
    const weak = 'a'.repeat(40);
    writeFileSync(file, JSON.stringify({ master_key: weak, jwt_secret: weak, principal_key: weak }));
    const problems = whats(await found(['keys', 'keys of data'], env, 'fault'));
    expect(problems).toContain('MASTER_KEY is not random');
    expect(problems).toContain('PRINCIPAL_KEY is the same as another key');
    expect(problems).toContain('is not the key that the data is encrypted with');
    rmSync(file);
    expect(whats(await found(['keys of data'], env, 'fault'))).toContain(
      'there are no keys, but the data is encrypted',
    );
    writeFileSync(file, right, { mode: 0o600 });
    expect(await found(['keys of data'], env)).toEqual([]);
  });

  it('finds damage in the built-in store: of a page, of a document, and of a file that cannot be opened', async () => {
    const dir = newFolder();
    const store = await openStore({ dir, sync: false });
    const client = await MongoClient.connect(store.url);
    const documents = Array.from({ length: 200 }, (_, n) => ({ text: `text-${n}-`.padEnd(900, 'x') }));
    await client.db().collection('letters').insertMany(documents);
    await client.close();
    await store.close();
    const file = join(dir, 'data.db');
    const sound = readFileSync(file);
    const at = sound.indexOf('text-100-');
    const findings = async (change: (bytes: Buffer) => unknown): Promise<string> => {
      const bytes = Buffer.from(sound);
      change(bytes);
      writeFileSync(file, bytes);
      return whats(await found(['database', 'stored data'], { DATA_DIR: dir }, 'fault'));
    };
    expect(await findings(() => undefined)).toBe('');
    expect(await findings((bytes) => bytes.write('T', at))).toContain('the collection letters is damaged: ');
    expect(await findings((bytes) => bytes.fill(255, at - (at % 4096), at - (at % 4096) + 64))).toMatch(
      new RegExp(`${file} is damaged: .* page \\d+.*[^]*the collection letters is damaged`),
    );
    expect(await findings((bytes) => bytes.fill(0, 0, 100))).toContain(`${file} is damaged (file is not a database)`);
  });

  it('reports an invalid environment and runs no other check', async () => {
    const reports = await examine({ PORT: 'x', RETENTION_DAYS: '-1', REDIS_URL: `http://:${PASSWORD}@redis` });
    expect(reports.map(({ check, severity }) => [check, severity])).toEqual(Array(3).fill(['configuration', 'fault']));
    expect(JSON.stringify(reports)).not.toContain(PASSWORD);
  });

  it('reports a port in use, and a data folder that is a file', async () => {
    await serving(
      (_request, response) => response.end('mine'),
      async (port) =>
        expect(whats(await found(['port'], { PORT: String(port) }))).toContain('in use by another program'),
    );
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(whats(await found(['data folder'], { DATA_DIR: file }))).toContain('is not a folder');
  });
});

describe('doctor: external servers', () => {
  it('reports each unreachable server once, without passwords', async () => {
    const at = `u:${PASSWORD}@127.0.0.1:${await freePort()}`;
    const reports = await examine(
      base({
        MONGO_URL: `mongodb://${at}/x?serverSelectionTimeoutMS=500`,
        TRANSPORTER: `nats://${at}`,
        REDIS_URL: `redis://${at}`,
        SMTP_URL: `smtp://${at}`,
        SMTP_FROM: 'a@b.example',
        QDRANT_URL: `http://${at.split('@')[1]}`,
        QDRANT_API_KEY: PASSWORD,
        ...Object.fromEntries(
          ['MASTER_KEY', 'JWT_SECRET', 'PRINCIPAL_KEY'].map((name) => [name, `${PASSWORD}-${name}-`.repeat(3)]),
        ),
      }),
    );
    const faults = reports.filter(({ severity }) => severity === 'fault');
    expect(faults.map(({ check }) => check)).toEqual(['database', 'nats', 'redis', 'qdrant', 'mail']);
    expect(faults.every(({ mend }) => mend !== undefined)).toBe(true);
    expect(JSON.stringify(reports)).not.toContain(PASSWORD);
  });

  it('gives up a check that never ends', async () => {
    jest.useFakeTimers();
    const looking = examine(base(), [{ name: 'slow', mend: 'Wait.', run: () => new Promise(() => undefined) }]);
    await jest.advanceTimersByTimeAsync(20_000);
    jest.useRealTimers();
    expect((await looking).at(-1)).toMatchObject({ check: 'slow', severity: 'fault', mend: 'Wait.' });
  });

  it('reports a mail server that refuses the login', async () => {
    const server = new SMTPServer({
      authMethods: ['PLAIN'],
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      closeTimeout: 1,
      onAuth: (_auth, _session, answer) => answer(new Error(`no ${PASSWORD}`)),
    });
    server.on('error', () => undefined);
    const listening = server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const env = { SMTP_URL: `smtp://me:${PASSWORD}@127.0.0.1:${port}?security=none`, SMTP_FROM: 'a@b.example' };
    expect(whats(await found(['mail'], env))).toContain('refuses the login');
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('reports a server that is not Qdrant, and a rejected API key', async () => {
    await serving(
      (_request, response) => response.end('<html>'),
      async (port) =>
        expect(whats(await found(['qdrant'], { QDRANT_URL: `http://127.0.0.1:${port}` }))).toContain('is not Qdrant'),
    );
    await serving(
      (request, response) => {
        if (request.url !== '/') response.statusCode = request.headers['api-key'] === 'right' ? 200 : 401;
        response.end('{"title":"qdrant - vector search engine","version":"1.15.0"}');
      },
      async (port) => {
        const env = { QDRANT_URL: `http://127.0.0.1:${port}`, QDRANT_API_KEY: PASSWORD };
        expect(whats(await found(['qdrant'], env))).toBe('it rejects QDRANT_API_KEY');
        expect(await found(['qdrant'], { ...env, QDRANT_API_KEY: 'right' })).toEqual([]);
      },
    );
  });
});

describeWith('nats', { own: true })('doctor: NATS', () => {
  it('reports a wrong password, missing permissions and a small payload', async () => {
    const users = `{ user: all, password: "right" }, { user: few, password: "right", permissions: { publish: "MOL-everstep.>", subscribe: "else.>" } }`;
    const nats = await startOwnNats({ config: `max_payload: 16KB\nauthorization { users: [ ${users} ] }` });
    const as = (user: string, password: string) =>
      found(['nats'], {
        TRANSPORTER: `nats://${user}:${password}@127.0.0.1:${nats?.port}`,
        MONGO_URL: 'mongodb://127.0.0.1:9/x',
        ...KEYS,
      });
    expect(whats(await as('all', 'right'))).toBe('max_payload is 16384 bytes');
    expect(whats(await as('few', 'right'))).toContain('are not delivered');
    expect(await as('all', PASSWORD)).toMatchObject([{ severity: 'fault' }]);
    await nats?.stop();
  });
});

describeWith('redis', { own: true })('doctor: Redis', () => {
  it('reports refused commands, the eviction policy, and a replica', async () => {
    const redis = await startOwnRedis();
    const at = `127.0.0.1:${redis?.port}`;
    const admin = new Redis(`redis://${at}`, { disconnectTimeout: 100 });
    const problems = async (user = '') => whats(await found(['redis'], { REDIS_URL: `redis://${user}${at}` }));
    await admin.config('SET', 'maxmemory', '100mb');
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await problems()).toContain('noeviction');
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await problems()).toBe('');
    await admin.config('SET', 'maxmemory', '0');
    expect(await problems()).toContain('memory is unlimited');
    await admin.call('ACL', 'SETUSER', 'few', 'on', `>${PASSWORD}`, '~*', '+info', '+get');
    expect(await problems(`few:${PASSWORD}@`)).toContain('it refuses a command that the service uses');
    expect(await problems(`few:${PASSWORD}x@`)).toContain('WRONGPASS');
    await admin.call('REPLICAOF', '127.0.0.1', String(await freePort()));
    expect(await problems()).toContain('it is a slave');
    admin.disconnect();
    await redis?.stop();
  });
});

const KEYS = Object.fromEntries(
  ['MASTER_KEY', 'JWT_SECRET', 'PRINCIPAL_KEY'].map((name, n) => [name, Buffer.alloc(32, n).toString('base64')]),
);
