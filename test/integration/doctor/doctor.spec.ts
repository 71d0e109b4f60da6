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

describe('a doctor, of a deployment with the built-in store', () => {
  let env: Record<string, string>;

  beforeAll(async () => {
    env = base();
    await (await startProcess(readConfig(env), () => undefined)).stop();
  }, 60_000);

  it('finds nothing wrong with one that has just stopped, or is not there yet', async () => {
    expect((await examine(env)).filter(({ severity }) => ['warning', 'fault'].includes(severity))).toEqual([]);
    expect((await examine(base())).filter(({ severity }) => severity === 'fault')).toEqual([]);
  });

  it('looks at one that is served, and names indexes that are missing, different and foreign', async () => {
    const store = await openStore({ dir: env.DATA_DIR as string });
    const client = await MongoClient.connect(store.url);
    const db = client.db();
    await db.collection('hosts').dropIndex('by_lease');
    await db.collection('tenants').dropIndex('slug_1');
    await db.collection('users').createIndex({ nothing: 1 }, { name: 'mine' });
    await db.collection('step_cache').dropIndex('over');
    await db.collection('step_cache').createIndex({ until: 1 }, { name: 'over', expireAfterSeconds: 7 });
    const reports = await examine(env);
    const told = reports
      .filter(({ check }) => check === 'indexes')
      .map(({ severity, what }) => `${severity} ${what.split(' ')[0]}`);
    expect(told.sort()).toEqual([
      'fault step_cache.over',
      'fault tenants.slug_1',
      'note users.mine',
      'warning hosts.by_lease',
    ]);
    expect(whats(reports)).toContain('served by a running process');
    await client.close();
    await store.close();
  });

  it('knows keys that others can read, that are not random, and that are not those of the data', async () => {
    const file = join(env.DATA_DIR as string, 'keys.json');
    const right = readFileSync(file, 'utf8');
    chmodSync(file, 0o644);
    expect(whats(await found(['data folder'], env, 'fault'))).toContain('can be read by other users (644)');
    const weak = 'a'.repeat(40);
    writeFileSync(file, JSON.stringify({ master_key: weak, jwt_secret: weak, principal_key: weak }));
    const told = whats(await found(['keys', 'keys of data'], env, 'fault'));
    expect(told).toContain('MASTER_KEY is not random');
    expect(told).toContain('PRINCIPAL_KEY is the same as another key');
    expect(told).toContain('is not the key that the data is sealed under');
    rmSync(file);
    expect(whats(await found(['keys of data'], env, 'fault'))).toContain('there are no keys, but the data is sealed');
    writeFileSync(file, right, { mode: 0o600 });
    expect(await found(['keys of data'], env)).toEqual([]);
  });

  it('tells what the environment cannot be, and looks at nothing else', async () => {
    const reports = await examine({ PORT: 'x', RETENTION_DAYS: '-1', REDIS_URL: `http://:${PASSWORD}@redis` });
    expect(reports.map(({ check, severity }) => [check, severity])).toEqual(Array(3).fill(['configuration', 'fault']));
    expect(JSON.stringify(reports)).not.toContain(PASSWORD);
  });

  it('tells a port that another program has, and a folder that is none', async () => {
    await serving(
      (_request, response) => response.end('mine'),
      async (port) =>
        expect(whats(await found(['port'], { PORT: String(port) }))).toContain('in use by another program'),
    );
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(whats(await found(['data folder'], { DATA_DIR: file }))).toContain('is no folder');
  });
});

describe('a doctor, of the servers around', () => {
  it('tells those that do not answer, once, and repeats no password', async () => {
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

  it('gives a check up that takes for ever', async () => {
    jest.useFakeTimers();
    const looking = examine(base(), [{ name: 'slow', mend: 'Wait.', run: () => new Promise(() => undefined) }]);
    await jest.advanceTimersByTimeAsync(20_000);
    jest.useRealTimers();
    expect((await looking).at(-1)).toMatchObject({ check: 'slow', severity: 'fault', mend: 'Wait.' });
  });

  it('tells a mail server that refuses the login', async () => {
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

  it('tells a Qdrant that is none, and one that does not take the key', async () => {
    await serving(
      (_request, response) => response.end('<html>'),
      async (port) =>
        expect(whats(await found(['qdrant'], { QDRANT_URL: `http://127.0.0.1:${port}` }))).toContain('no Qdrant'),
    );
    await serving(
      (request, response) => {
        if (request.url !== '/') response.statusCode = request.headers['api-key'] === 'right' ? 200 : 401;
        response.end('{"title":"qdrant - vector search engine","version":"1.15.0"}');
      },
      async (port) => {
        const env = { QDRANT_URL: `http://127.0.0.1:${port}`, QDRANT_API_KEY: PASSWORD };
        expect(whats(await found(['qdrant'], env))).toBe('it does not take our key');
        expect(await found(['qdrant'], { ...env, QDRANT_API_KEY: 'right' })).toEqual([]);
      },
    );
  });
});

describeWith('nats', { own: true })('a doctor, of NATS', () => {
  it('tells a wrong password, missing rights and a small payload', async () => {
    const users = `{ user: all, password: "right" }, { user: few, password: "right", permissions: { publish: "MOL-everstep.>", subscribe: "else.>" } }`;
    const nats = await startOwnNats({ config: `max_payload: 16KB\nauthorization { users: [ ${users} ] }` });
    const as = (user: string, password: string) =>
      found(['nats'], {
        TRANSPORTER: `nats://${user}:${password}@127.0.0.1:${nats?.port}`,
        MONGO_URL: 'mongodb://127.0.0.1:9/x',
        ...KEYS,
      });
    expect(whats(await as('all', 'right'))).toBe('max_payload is 16384 bytes');
    expect(whats(await as('few', 'right'))).toContain('does not come back');
    expect(await as('all', PASSWORD)).toMatchObject([{ severity: 'fault' }]);
    await nats?.stop();
  });
});

describeWith('redis', { own: true })('a doctor, of Redis', () => {
  it('tells what it refuses, how it is full, and that it is a replica', async () => {
    const redis = await startOwnRedis();
    const at = `127.0.0.1:${redis?.port}`;
    const admin = new Redis(`redis://${at}`, { disconnectTimeout: 100 });
    const told = async (user = '') => whats(await found(['redis'], { REDIS_URL: `redis://${user}${at}` }));
    await admin.config('SET', 'maxmemory', '100mb');
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await told()).toContain('noeviction');
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await told()).toBe('');
    await admin.config('SET', 'maxmemory', '0');
    expect(await told()).toContain('grow without limit');
    await admin.call('ACL', 'SETUSER', 'few', 'on', `>${PASSWORD}`, '~*', '+info', '+get');
    expect(await told(`few:${PASSWORD}@`)).toContain('it refuses what we do');
    expect(await told(`few:${PASSWORD}x@`)).toContain('WRONGPASS');
    await admin.call('REPLICAOF', '127.0.0.1', String(await freePort()));
    expect(await told()).toContain('it is a slave');
    admin.disconnect();
    await redis?.stop();
  });
});

const KEYS = Object.fromEntries(
  ['MASTER_KEY', 'JWT_SECRET', 'PRINCIPAL_KEY'].map((name, n) => [name, Buffer.alloc(32, n).toString('base64')]),
);
