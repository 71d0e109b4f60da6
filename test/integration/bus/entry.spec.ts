import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeys } from 'nats';
import { readConfig } from '../../../lib/config';
import { connectionOptions } from '../../../lib/bus/connection';
import type { NatsTransporter } from '../../../lib/bus/transporter';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { until } from '../../support/until';
import { makeCredentials } from './credentials';
import { actions, openHouse } from './test-cluster';

const SHARED = { MONGO_URL: 'mongodb://none', MASTER_KEY: 'm', JWT_SECRET: 'j', PRINCIPAL_KEY: 'p' };

/** How a process with this environment fares at the server: `in`, or the client's word for the refusal. */
async function entry(TRANSPORTER: string, env: Record<string, string> = {}): Promise<string> {
  const { bus } = readConfig({ ...SHARED, TRANSPORTER, ...env });
  if (bus === null) throw new Error('No bus');
  const options = connectionOptions(bus, 'test');
  try {
    const client = await connect({ ...options, reconnect: false });
    await client.close();
    return 'in';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describeWith('nats', { own: true })('a server that asks who comes', () => {
  let nats: Daemon;
  const open = async (config: string, files: Record<string, string> = {}): Promise<string> => {
    nats = (await startOwnNats({ config, files })) as Daemon;
    return `127.0.0.1:${nats.port}`;
  };
  afterEach(() => nats.stop());

  test('accepts the right password, whatever characters it has, and no other', async () => {
    const at = await open('authorization { user: "ann@acme", password: "p@ss:w/ö,rd%41" }');
    const right = `${encodeURIComponent('ann@acme')}:${encodeURIComponent('p@ss:w/ö,rd%41')}`;
    expect(await entry(`nats://${right}@${at}`)).toBe('in');
    expect(await entry(`nats://ann%40acme:wrong@${at}`)).toBe('AUTHORIZATION_VIOLATION');
    expect(await entry(`nats://${at}`)).toBe('AUTHORIZATION_VIOLATION');
  });

  test('accepts the token, in the URL or in NATS_TOKEN', async () => {
    const at = await open('authorization { token: "s3cret" }');
    expect(await entry(`nats://s3cret@${at}`)).toBe('in');
    expect(await entry(`nats://${at}`, { NATS_TOKEN: 's3cret' })).toBe('in');
    expect(await entry(`nats://${at}`, { NATS_TOKEN: 'other' })).toBe('AUTHORIZATION_VIOLATION');
  });

  test('accepts the seed of an NKey', async () => {
    const [ours, other] = [nkeys.createUser(), nkeys.createUser()];
    const seed = (pair: typeof ours): string => Buffer.from(pair.getSeed()).toString();
    const at = await open(`authorization { users: [ { nkey: ${ours.getPublicKey()} } ] }`);
    expect(await entry(`nats://${at}`, { NATS_NKEY_SEED: seed(ours) })).toBe('in');
    expect(await entry(`nats://${at}`, { NATS_NKEY_SEED: seed(other) })).toBe('AUTHORIZATION_VIOLATION');
  });

  test('a refused process retries, and connects once its password is valid', async () => {
    const house = await openHouse({ config: 'authorization { user: everstep, password: "old" }' });
    nats = house.nats;
    try {
      let up = false;
      const joining = house.join('late', [], { bus: nats.url.replace('//', '//everstep:new@') });
      void joining.then(() => (up = true));
      await until('it was refused', () => /everstep.*authentication error/i.test(nats.output()));
      expect(up).toBe(false);
      await writeFile(join(nats.dir, 'nats.conf'), 'authorization { user: everstep, password: "new" }');
      await nats.restart();
      expect((await joining).broker.transit?.tx.connected).toBe(true);
    } finally {
      await house.close();
    }
  });

  test('a process with a credentials file reconnects although the file was missing for a while', async () => {
    const { serverConfig, file } = makeCredentials();
    const house = await openHouse({ config: serverConfig });
    nats = house.nats;
    const creds = join(nats.dir, 'user.creds');
    await writeFile(creds, file);
    try {
      const env = { NATS_CREDS: creds };
      const app = await house.join('creds', [actions({ 'workflows.get': () => ({ well: true }) })], { env });
      const other = await house.join('other', [], { env });
      const tx = app.broker.transit?.tx as NatsTransporter;
      const client = tx.client as NatsConnection;
      await rename(creds, `${creds}.away`);
      await nats.restart();
      await until('the client has given up', () => client.isClosed());
      await rename(`${creds}.away`, creds);
      await until('it is connected again', () => tx.connected);
      expect(await other.broker.call('workflows.get', {})).toEqual({ well: true });
    } finally {
      await house.close();
    }
  });
});

describeWith('nats', { own: true })('a server that encrypts', () => {
  const dir = mkdtempSync(join(tmpdir(), 'everstep-tls-'));
  const file = (name: string): string => join(dir, name);
  const text = (name: string): string => readFileSync(file(name), 'utf8');
  let nats: Daemon;

  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const authority = (name: string): void =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  const certificate = (name: string, by: string): void => {
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    );
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${by}.pem`,
      '-CAkey',
      `${by}.key`,
      '-CAcreateserial',
      '-days',
      '2',
      '-copy_extensions',
      'copy',
      '-out',
      `${name}.pem`,
    );
  };

  beforeAll(async () => {
    authority('ours');
    authority('other');
    certificate('server', 'ours');
    certificate('client', 'ours');
    certificate('foreign', 'other');
    nats = (await startOwnNats({
      config: `tls { cert_file: "{dir}/server.pem", key_file: "{dir}/server.key", ca_file: "{dir}/ca.pem", verify: true }`,
      files: { 'server.pem': text('server.pem'), 'server.key': text('server.key'), 'ca.pem': text('ours.pem') },
    })) as Daemon;
  });
  afterAll(async () => {
    await nats.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const by = (ca: string | null, who: string | null): Promise<string> =>
    entry(`tls://localhost:${nats.port}`, {
      ...(ca === null ? {} : { NATS_TLS_CA: file(`${ca}.pem`) }),
      ...(who === null ? {} : { NATS_TLS_CERT: file(`${who}.pem`), NATS_TLS_KEY: file(`${who}.key`) }),
    });

  test('accepts a client with its certificate authority and a certificate', async () => {
    expect(await by('ours', 'client')).toBe('in');
  });

  test('is not trusted with another certificate authority, or with none', async () => {
    expect(await by('other', 'client')).not.toBe('in');
    expect(await by(null, 'client')).not.toBe('in');
  });

  test('refuses a client without a certificate, or with one of another authority', async () => {
    expect(await by('ours', null)).not.toBe('in');
    expect(await by('ours', 'foreign')).not.toBe('in');
  });

  test('a client that requires encryption refuses a server without it', async () => {
    const plain = (await startOwnNats()) as Daemon;
    try {
      expect(await entry(`tls://127.0.0.1:${plain.port}`)).not.toBe('in');
    } finally {
      await plain.stop();
    }
  });

  test('a missing file is reported before any connection', async () => {
    await expect(entry('tls://localhost:1', { NATS_TLS_CA: file('none.pem') })).rejects.toThrow(
      /NATS_TLS_CA.*none\.pem/,
    );
    await expect(entry('nats://localhost:1', { NATS_CREDS: file('none.creds') })).rejects.toThrow('NATS_CREDS');
  });
});
