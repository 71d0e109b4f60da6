import { forgetMasters } from '../../../lib/master-key-record';
import { secretsService } from '../../../services/secrets/secrets.service';
import { Vault } from '../../../services/secrets/vault';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';

describe('secrets', () => {
  let database: TestDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await openTestDatabase();
    app = await startApp({ services: [secretsService], database });
  });
  afterEach(() => stored().deleteMany({}));
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  const stored = () => app.app.db.collection('secrets');
  const admin = { tenant_id: 't1', role: 'admin' } as const;
  const service = { tenant_id: 't1', role: 'service' } as const;
  const reveal = async (...names: string[]) => (await app.call('secrets.reveal', { names }, service)).values;

  test('what is put in comes out for services, and the result shows when it replaced something', async () => {
    const first = await app.call('secrets.put', { name: 'TOKEN', value: 'value one' }, admin);
    expect(first).toEqual({
      name: 'TOKEN',
      created_at: first.updated_at,
      updated_at: expect.any(String),
      created: true,
    });
    const second = await app.call('secrets.put', { name: 'TOKEN', value: 'zwei ✓' }, admin);
    expect(second).toMatchObject({ created: false, created_at: first.created_at });
    expect(await reveal('TOKEN', 'NONE')).toEqual({ TOKEN: 'zwei ✓' });
  });

  test('a list tells names and no value', async () => {
    for (const name of ['B', 'A']) await app.call('secrets.put', { name, value: 'hidden' }, admin);
    const listed = await app.call('secrets.list', {}, { tenant_id: 't1', role: 'member' });
    expect(listed.data.map(({ name }) => name)).toEqual(['A', 'B']);
    expect(Object.keys(listed.data[0] as object)).toEqual(['name', 'created_at', 'updated_at']);
  });

  test('a removed secret is gone, and cannot be removed again', async () => {
    await app.call('secrets.put', { name: 'A', value: 'a value' }, admin);
    await app.call('secrets.remove', { name: 'A' }, admin);
    expect(await reveal('A')).toEqual({});
    await expect(app.call('secrets.remove', { name: 'A' }, admin)).rejects.toMatchObject({
      type: 'not_found',
      code: 404,
    });
  });

  test('many writers of a new name leave one record, and one of them created it', async () => {
    const puts = await Promise.all(
      Array.from({ length: 10 }, (_, i) => app.call('secrets.put', { name: 'RACE', value: `value ${i}` }, admin)),
    );
    expect(puts.filter(({ created }) => created)).toHaveLength(1);
    expect(await stored().countDocuments()).toBe(1);
    expect((await reveal('RACE')).RACE).toMatch(/^value \d$/);
  });

  test('tenants share nothing', async () => {
    await app.call('secrets.put', { name: 'A', value: 'mine' }, admin);
    const theirs = { tenant_id: 't2', role: 'service' } as const;
    expect(await app.call('secrets.reveal', { names: ['A'] }, theirs)).toEqual({ values: {} });
    expect(await app.call('secrets.missing', { names: ['A'] }, theirs)).toEqual({ names: ['A'] });
    await expect(app.call('secrets.remove', { name: 'A' }, { tenant_id: 't2' })).rejects.toMatchObject({
      type: 'not_found',
    });
  });

  test('missing names are returned once each', async () => {
    await app.call('secrets.put', { name: 'A', value: 'a value' }, admin);
    expect(await app.call('secrets.missing', { names: ['A', 'B', 'B', '__proto__'] }, service)).toEqual({
      names: ['B', '__proto__'],
    });
  });

  test.each(['1A', 'A-B', '', 'A B', 'A'.repeat(129), 'Ä'])('the name %j is refused', async (name) => {
    await expect(app.call('secrets.put', { name, value: 'a value' }, admin)).rejects.toMatchObject({
      type: 'invalid_request',
    });
  });

  test('names of inherited members are names like any other', async () => {
    for (const name of ['__proto__', 'constructor']) await app.call('secrets.put', { name, value: `v ${name}` }, admin);
    const values = await reveal('__proto__', 'constructor', 'toString');
    expect(Object.entries(values)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'v __proto__'],
        ['constructor', 'v constructor'],
      ]),
    );
    expect(Object.keys(values)).toHaveLength(2);
  });

  test.each(['', 'a', 'abc'])('the value %j is refused with the reason', async (value) => {
    await expect(app.call('secrets.put', { name: 'SHORT', value }, admin)).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringMatching(/at least 4 characters: shorter values .* cannot be masked/),
    });
    expect(await reveal('SHORT')).toEqual({});
    await app.call('secrets.put', { name: 'SHORT', value: 'abcd' }, admin);
    expect(await reveal('SHORT')).toEqual({ SHORT: 'abcd' });
  });

  test('a shorter value that is stored already stays usable', async () => {
    await app.call('secrets.put', { name: 'PIN', value: 'a value' }, admin);
    const { sealed, key_id } = new Vault(app.app.keyring).seal('t1', 'PIN', '123');
    await stored().updateOne({ name: 'PIN' }, { $set: { sealed, key_id } });
    expect(await reveal('PIN')).toEqual({ PIN: '123' });
  });

  test('a value holds up to 64 KiB', async () => {
    await app.call('secrets.put', { name: 'BIG', value: 'é'.repeat(32 * 1024) }, admin);
    expect((await reveal('BIG')).BIG).toHaveLength(32 * 1024);
    for (const value of ['é'.repeat(32 * 1024 + 1)]) {
      await expect(app.call('secrets.put', { name: 'BIG', value }, admin)).rejects.toMatchObject({
        type: 'invalid_request',
      });
    }
  });

  test('at rest there is no plain value, and equal values have different ciphertexts', async () => {
    await app.call('secrets.put', { name: 'A', value: 'same value' }, admin);
    await app.call('secrets.put', { name: 'B', value: 'same value' }, admin);
    const [a, b] = await stored().find().toArray();
    expect(Buffer.from(a?.sealed.buffer).includes('same value')).toBe(false);
    expect(a?.sealed.toString('hex')).not.toBe(b?.sealed.toString('hex'));
  });

  test('sealed bytes that were moved to another name, or changed, do not open', async () => {
    await app.call('secrets.put', { name: 'A', value: 'of A' }, admin);
    await app.call('secrets.put', { name: 'B', value: 'of B' }, admin);
    const a = await stored().findOne({ name: 'A' });
    await stored().updateOne({ name: 'B' }, { $set: { sealed: a?.sealed } });
    await expect(reveal('B')).rejects.toThrow('The secret B cannot be decrypted');
    expect(await reveal('A')).toEqual({ A: 'of A' });
  });

  test('a value sealed under another master key says so instead of giving rubbish', async () => {
    await app.call('secrets.put', { name: 'OLD', value: 'a value' }, admin);
    // As an operator does who has lost the key: else the start is refused.
    await forgetMasters(app.app.db);
    const other = await startApp({
      services: [secretsService],
      database,
      env: { MASTER_KEY: Buffer.alloc(32, 9).toString('base64') },
    });
    try {
      await expect(other.call('secrets.reveal', { names: ['OLD'] }, service)).rejects.toThrow(
        /secret OLD is encrypted with another MASTER_KEY/,
      );
    } finally {
      await other.close();
    }
  });

  test.each([
    ['put', { name: 'A', value: 'a value' }, 'member', 'forbidden'],
    ['remove', { name: 'A' }, 'member', 'forbidden'],
    ['reveal', { names: ['A'] }, 'owner', 'forbidden'],
    ['missing', { names: ['A'] }, 'owner', 'forbidden'],
    ['put', { name: 'A', value: 'a value' }, 'service', 'forbidden'],
  ] as const)('%s %j is not for the role of %s', async (action, params, role, type) => {
    await expect(app.call(`secrets.${action}`, params as never, { tenant_id: 't1', role })).rejects.toMatchObject({
      type,
    });
  });

  test('a call without a principal is refused', async () => {
    await expect(app.call('secrets.list', {}, null)).rejects.toMatchObject({ type: 'unauthenticated', code: 401 });
    const forged = { meta: { principal: 'e30.AAAA' } };
    await expect(app.broker.call('secrets.reveal', { names: [] }, forged)).rejects.toMatchObject({
      type: 'unauthenticated',
    });
  });
});
