import { ConfigError, readConfig } from '../../../lib/config';

const SHARED = {
  MONGO_URL: 'mongodb://db',
  MASTER_KEY: 'master',
  JWT_SECRET: 'jwt',
  PRINCIPAL_KEY: 'principal',
};

const bus = (env: Record<string, string>) => readConfig({ ...SHARED, ...env }).bus;

const faults = (env: Record<string, string>): string => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('It was not refused');
};

test('without TRANSPORTER a process has no bus', () => {
  expect(readConfig({}).bus).toBeNull();
});

test('servers come from one or several URLs, with the default port of NATS', () => {
  expect(bus({ TRANSPORTER: 'nats://a:4333, nats://b,nats://[::1]:1' })).toEqual({
    servers: ['a:4333', 'b:4222', '[::1]:1'],
    credentials: { kind: 'none' },
    tls: null,
  });
});

test.each([
  ['nats://ann:p%40ss%2Cw%C3%A9@a,nats://b', {}, { kind: 'password', user: 'ann', pass: 'p@ss,wé' }],
  ['nats://s3cret@a', {}, { kind: 'token', token: 's3cret' }],
  ['nats://a', { NATS_TOKEN: 's3cret' }, { kind: 'token', token: 's3cret' }],
  ['nats://a', { NATS_NKEY_SEED: 'SUA' }, { kind: 'nkey', seed: 'SUA' }],
  ['nats://a', { NATS_CREDS: '/run/creds' }, { kind: 'creds', file: '/run/creds' }],
])('credentials of %s with %j', (TRANSPORTER, env, credentials) => {
  expect(bus({ TRANSPORTER, ...env })?.credentials).toEqual(credentials);
});

test('tls:// enables encryption, and so does any TLS file', () => {
  const none = { caFile: null, certFile: null, keyFile: null };
  expect(bus({ TRANSPORTER: 'tls://a' })?.tls).toEqual(none);
  expect(bus({ TRANSPORTER: 'nats://a', NATS_TLS_CA: '/ca' })?.tls).toEqual({ ...none, caFile: '/ca' });
});

test.each([
  [{ TRANSPORTER: 'redis://a' }, 'must be nats://'],
  [{ TRANSPORTER: 'a:4222' }, 'must be nats://'],
  [{ TRANSPORTER: ',' }, 'names no server'],
  [{ TRANSPORTER: 'nats://a/b' }, 'no path, query or fragment'],
  [{ TRANSPORTER: 'nats://a?tls=1' }, 'no path, query or fragment'],
  [{ TRANSPORTER: 'nats://a,tls://b' }, 'mixes'],
  [{ TRANSPORTER: 'nats://u:one@a,nats://u:two@b' }, 'several users'],
  [{ TRANSPORTER: 'nats://u:one@a', NATS_TOKEN: 't' }, 'NATS_TOKEN are both given'],
  [{ TRANSPORTER: 'nats://a', NATS_TLS_CERT: '/cert' }, 'belong together'],
  [{ NATS_TOKEN: 't' }, 'TRANSPORTER is not'],
  [{ TRANSPORTER: 'nats://a', NODE_ID: 'a b' }, 'NODE_ID'],
  [{ TRANSPORTER: 'nats://a', NAMESPACE: 'a.*' }, 'NAMESPACE'],
])('%j is refused: %s', (env, words) => {
  expect(faults({ ...SHARED, ...env })).toContain(words);
});

test('a bus needs a database and keys that all processes share, also outside of production', () => {
  const message = faults({ TRANSPORTER: 'nats://a' });
  for (const word of ['MONGO_URL', 'MASTER_KEY', 'JWT_SECRET or JWT_PRIVATE_KEY', 'PRINCIPAL_KEY'])
    expect(message).toContain(word);
  expect(faults({ ...SHARED, TRANSPORTER: 'nats://a', PRINCIPAL_KEY: '' })).toContain('set PRINCIPAL_KEY');
});

test('no fault contains a password', () => {
  for (const TRANSPORTER of [
    'http://u:hidden@a',
    'nats://u:hidden@a/x',
    'nats://u:hidden@a,nats://v:hidden@b',
    'hidden',
  ])
    expect(faults({ ...SHARED, TRANSPORTER, NATS_TOKEN: 'hidden' })).not.toContain('hidden');
});
