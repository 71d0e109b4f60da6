import { Collection } from 'mongodb';
import { createConnection } from 'mongoose';
import { forgetMasters } from '../../../lib/master-key-record';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { Api } from '../../support/server';
import { enrolTotp } from '../../support/totp';
import { openTestDatabase, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { masters, processOf, underKeys } from './house';

const admin = { tenant_id: 't1', role: 'admin' } as const;
const service = { tenant_id: 't1', role: 'service' } as const;

let database: TestDatabase;
const running: TestApp[] = [];

const start = async (...given: Parameters<typeof masters>): Promise<TestApp> => {
  const app = await processOf(database, masters(...given));
  running.push(app);
  return app;
};
const stop = async (app: TestApp): Promise<void> => {
  running.splice(running.indexOf(app), 1);
  await app.close();
};
const put = (app: TestApp, name: string, value = `value of ${name}`) => app.call('secrets.put', { name, value }, admin);
/** Many at once, as many clients do. */
const fill = async (app: TestApp, names: readonly string[]): Promise<void> => {
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(names.slice(at, at + 50).map((name) => put(app, name)));
};
const reveal = async (app: TestApp, ...names: string[]) =>
  (await app.call('secrets.reveal', { names }, service)).values;
const rotated = (app: TestApp, collection = 'secrets') =>
  until(`all of ${collection} is under the newest key`, async () => {
    const counts = await underKeys(app.app, collection);
    return (
      Object.keys(counts)
        .filter((id) => id !== 'null')
        .join() === app.app.keyring.newestId
    );
  });

beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const app of [...running]) await stop(app);
  await database.close();
});

it('is looked for without a walk through all that is sealed', async () => {
  const counted = jest.spyOn(Collection.prototype, 'countDocuments');
  const { app } = await start(1);
  const filters = () =>
    counted.mock.calls.flatMap(([filter]) =>
      filter !== undefined && JSON.stringify(filter).includes('key_id') ? [filter] : [],
    );
  await until('it was looked for', () => filters().length >= 2);
  for (const filter of filters()) {
    for (const name of ['secrets', 'idempotency_keys']) {
      const plan = await app.db.collection(name).find(filter).explain('queryPlanner');
      expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    }
  }
});

describe('a new master key', () => {
  it('takes over while everything is served: values open before, meanwhile and after', async () => {
    const first = await start(1);
    await fill(
      first,
      Array.from({ length: 450 }, (_, n) => `S${n}`),
    );
    await stop(first);
    const second = await start(2, 1);
    expect(await reveal(second, 'S0', 'S449')).toEqual({ S0: 'value of S0', S449: 'value of S449' });
    await put(second, 'S7', 'new value');
    await rotated(second);
    expect(await reveal(second, 'S0', 'S7', 'S449')).toEqual({
      S0: 'value of S0',
      S7: 'new value',
      S449: 'value of S449',
    });
    await stop(second);
    const alone = await start(2);
    expect(await reveal(alone, 'S0', 'S7')).toEqual({ S0: 'value of S0', S7: 'new value' });
  });

  it('reseals answers that are kept for repeats of requests', async () => {
    const scope = { scope: 'ann', key: 'k1' };
    const first = await start(1);
    await first.call('channels.begin_once', { ...scope, body_hash: 'h' });
    await first.call('channels.finish_once', { ...scope, status: 201, body: { token: 'secret' } });
    await first.call('channels.begin_once', { scope: 'ann', key: 'under way', body_hash: 'h' });
    await stop(first);
    const second = await start(2, 1);
    await rotated(second, 'idempotency_keys');
    await stop(second);
    const alone = await start(2);
    expect(await alone.call('channels.begin_once', { ...scope, body_hash: 'h' })).toEqual({
      kind: 'replay',
      status: 201,
      body: { token: 'secret' },
    });
  });

  it('reseals secrets of authenticator apps, whose codes stay good', async () => {
    const services = [apiGatewayService, authService];
    const first = await processOf(database, masters(1), { services });
    running.push(first);
    const before = new Api(first.url);
    await before.register('sealed-totp');
    const factor = await enrolTotp(before);
    await stop(first);
    const second = await processOf(database, masters(2, 1), { services });
    running.push(second);
    await until('the secret is under the new key', async () => {
      const user = await second.app.db.collection('users').findOne({ 'totp.key_id': { $exists: true } });
      return user?.totp.key_id === second.app.keyring.newestId;
    });
    await stop(second);
    // The former key is gone.
    const third = await processOf(database, masters(2), { services });
    running.push(third);
    const api = new Api(third.url);
    const login = { tenant_slug: 'sealed-totp', email: 'owner@sealed-totp.example', password: 'a-long-password' };
    const asked = await api.ask<{ second_factor: { challenge: string } }>('POST', '/api/v1/auth/login', login);
    const proof = { challenge: asked.body.second_factor.challenge, code: factor.nextCode() };
    expect(await api.call('POST', '/api/v1/auth/second-factor', proof)).toMatchObject({ token: expect.any(String) });
  });

  it('changes no derived id and no proof of the audit log', async () => {
    const first = await start(1);
    const { ids, audit } = first.app.keys;
    await stop(first);
    const second = await start(2, 1);
    expect(second.app.keys.ids).toEqual(ids);
    expect(second.app.keys.audit).toEqual(audit);
  });

  it('may be followed by another before the first rotation has ended', async () => {
    const first = await start(1);
    await put(first, 'A');
    await stop(first);
    await stop(await start(2, 1));
    const third = await start(3, 2, 1);
    await put(third, 'B');
    await rotated(third);
    expect(await reveal(third, 'A', 'B')).toEqual({ A: 'value of A', B: 'value of B' });
  });

  it('comes to a running cluster in two steps, and both kinds of processes serve meanwhile', async () => {
    const before = await start(1, 2);
    await put(before, 'A');
    const after = await start(2, 1);
    await put(after, 'B');
    await put(before, 'C');
    for (const app of [before, after]) expect(Object.keys(await reveal(app, 'A', 'B', 'C'))).toHaveLength(3);
    // What the earlier process sealed late is found by a later look; here: by that of the next start.
    await stop(before);
    await stop(after);
    const last = await start(2, 1);
    await rotated(last);
  });

  it('is kept by a process that comes back with the earlier one: both never rotate against each other', async () => {
    await stop(await start(1));
    await stop(await start(2, 1));
    const back = await start(1, 2);
    const front = await start(2, 1);
    expect(back.app.keyring.newestId).toBe(front.app.keyring.newestId);
    await put(back, 'A');
    expect(await underKeys(front.app)).toEqual({ [front.app.keyring.newestId]: 1 });
  });

  it('is agreed on by processes that start together', async () => {
    const apps = await Promise.all([start(1), start(1), start(1)]);
    expect(new Set(apps.map(({ app }) => app.keys.ids.toString('hex'))).size).toBe(1);
    for (const app of apps) await stop(app);
    const next = await Promise.all([start(2, 1), start(2, 1), start(2, 1)]);
    expect(new Set(next.map(({ app }) => app.keyring.newestId)).size).toBe(1);
    const record = await next[0]?.app.db.collection('deployment_keys').findOne({});
    expect(record?.keys).toHaveLength(2);
  });
});

describe('a rotation that breaks off', () => {
  /** Lets the process go on until its n-th write of secrets, which is lost with it before or after it is done. */
  function dieAt(write: number, when: 'before' | 'after'): () => boolean {
    const bulkWrite = Collection.prototype.bulkWrite;
    let writes = 0;
    jest.spyOn(Collection.prototype, 'bulkWrite').mockImplementation(async function (this: Collection, ...given) {
      if (this.collectionName !== 'secrets') return bulkWrite.apply(this, given);
      writes += 1;
      if (writes < write) return bulkWrite.apply(this, given);
      if (when === 'after' && writes === write) await bulkWrite.apply(this, given);
      throw new Error('The process is dead');
    });
    return () => writes >= write;
  }

  it('at any write leaves everything readable, and is finished by the next start', async () => {
    const names = Array.from({ length: 450 }, (_, n) => `S${n}`);
    const first = await start(1);
    await fill(first, names);
    await stop(first);
    const values = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    let key = 1;
    for (const [write, when] of [
      [1, 'before'],
      [1, 'after'],
      [2, 'before'],
      [3, 'after'],
    ] as const) {
      key += 1;
      const isDead = dieAt(write, when);
      const dying = await start(key, key - 1);
      expect(await reveal(dying, ...names)).toEqual(values);
      await until('the process is dead', isDead);
      await stop(dying);
      const left = Math.max(0, 450 - (when === 'after' ? write : write - 1) * 200);
      expect(await mixture(dying)).toBe(left);
      jest.restoreAllMocks();
      const next = await start(key, key - 1);
      expect(await reveal(next, ...names)).toEqual(values);
      await rotated(next);
      await stop(next);
    }
    expect(await reveal(await start(key), ...names)).toEqual(values);
  });

  /** How many values are not yet under the newest key of a process that has ended. */
  async function mixture({ app }: TestApp): Promise<number> {
    const db = await createConnection(database.url, { dbName: database.name }).asPromise();
    try {
      return await db.collection('secrets').countDocuments({ key_id: { $ne: app.keyring.newestId } });
    } finally {
      await db.close();
    }
  }
});

describe('a master key that is not the data’s', () => {
  it('is refused at the start, with the way out', async () => {
    await stop(await start(1));
    await expect(start(9)).rejects.toThrow(/MASTER_KEY \(\w{16}\) is not the key.*MASTER_KEY_PREVIOUS/s);
    await expect(start(9, 8)).rejects.toThrow(/MASTER_KEY_PREVIOUS/);
  });

  it('and was retired is refused without the newer one', async () => {
    await stop(await start(1));
    await stop(await start(2, 1));
    await expect(start(1)).rejects.toThrow(/was replaced/);
    await expect(start(3, 1)).rejects.toThrow(/MASTER_KEY_PREVIOUS/);
  });

  it('is taken when the record was dropped because the key is lost; what is sealed says so', async () => {
    const first = await start(1);
    await put(first, 'A');
    expect(await forgetMasters(first.app.db)).toBe(true);
    await stop(first);
    const next = await start(2);
    await expect(reveal(next, 'A')).rejects.toThrow(/store the secret again/);
    await put(next, 'A', 'anew');
    expect(await reveal(next, 'A')).toEqual({ A: 'anew' });
  });
});

describe('what cannot be resealed', () => {
  it('stays as it is, is counted, and hinders nothing else', async () => {
    const first = await start(1);
    await put(first, 'GOOD');
    await put(first, 'BAD');
    const secrets = first.app.db.collection('secrets');
    await secrets.updateOne({ name: 'BAD' }, { $set: { sealed: Buffer.alloc(40) } });
    await stop(first);
    const second = await start(2, 1);
    const ended = { _id: 'secrets' as never, key_id: second.app.keyring.newestId, finished_at: { $ne: null } };
    const progress = await until('the rotation has ended', () =>
      second.app.db.collection('key_rotations').findOne(ended),
    );
    expect(progress).toMatchObject({ resealed: 1, unreadable: 1, left: 1 });
    expect(await reveal(second, 'GOOD')).toEqual({ GOOD: 'value of GOOD' });
    await expect(reveal(second, 'BAD')).rejects.toThrow('The secret BAD cannot be decrypted');
  });
});
