import { createServer } from 'node:net';
import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { act, type Actor, done, failed } from '../../support/connectors/act';
import { type SftpServer, startSftpServer } from '../../support/connectors/sftp-server';

let server: SftpServer;
let ada: Actor;

beforeAll(async () => {
  server = await startSftpServer();
  const { port, fingerprint } = server;
  const credentials = {
    host: 'files.test',
    port: String(port),
    user: 'ada',
    password: 'sesame',
    host_key: fingerprint,
  };
  ada = { connector: connectorsByName.get('sftp') as Connector, credentials };
});
afterAll(() => server.close());

const having = (fields: Record<string, string>): Actor => ({ ...ada, credentials: { ...ada.credentials, ...fields } });

test('a file is written, listed, read, moved and removed', async () => {
  expect(await done(ada, 'write', { path: '/a.csv', content: 'grüße' })).toEqual({ path: '/a.csv', size: 7 });
  expect(await done(ada, 'list', { path: '/' })).toMatchObject({
    entries: [{ name: 'a.csv', kind: 'file', size: 7 }],
    count: 1,
    truncated: false,
  });
  expect(await done(ada, 'read', { path: '/a.csv' })).toEqual({ content: 'grüße', size: 7 });
  expect(await done(ada, 'rename', { from: '/a.csv', to: '/b.csv' })).toEqual({ path: '/b.csv' });
  expect(await done(ada, 'remove', { path: '/b.csv' })).toEqual({ removed: true });
  expect(await done(ada, 'remove', { path: '/b.csv' })).toEqual({ removed: false });
});

test('bytes stay what they are, also many of them', async () => {
  const bytes = Buffer.alloc(300_000, Buffer.from([0, 255, 128, 13, 10]));
  await done(ada, 'write', { path: '/x.bin', content_base64: bytes.toString('base64') });
  expect(server.files.get('/x.bin')?.equals(bytes)).toBe(true);
  const { content } = await done(ada, 'read', { path: '/x.bin', encoding: 'base64' });
  expect(Buffer.from(String(content), 'base64').equals(bytes)).toBe(true);
});

test('a missing file and a denied one have errors of their own', async () => {
  expect(await failed(ada, 'read', { path: '/nothing' })).toMatchObject({ code: 'sftp_not_found', retryable: false });
  expect(await failed(ada, 'list', { path: '/secret' })).toMatchObject({ code: 'sftp_denied', retryable: false });
});

test('a file of more than 10 MiB is not read', async () => {
  server.files.set('/huge', Buffer.alloc(10 * 1024 * 1024 + 1));
  expect((await failed(ada, 'read', { path: '/huge' })).message).toContain('at most');
});

test('a server with another key gets no password', async () => {
  const other = `SHA256:${'A'.repeat(43)}`;
  const failure = await failed(having({ host_key: other }), 'list', { path: '/' });
  expect(failure).toMatchObject({ code: 'sftp_host_key', retryable: false });
  expect(failure.message).toContain(server.fingerprint);
});

test.each([
  ['a wrong password', { password: 'open-sesame' }, 'sftp_login'],
  ['a key of a server that is none', { host_key: 'yes' }, 'invalid_config'],
  ['a private key that is none', { private_key: 'hunter22' }, 'invalid_config'],
])('%s is reported, and not shown', async (_, fields, code) => {
  const failure = await failed(having(fields), 'list', { path: '/' });
  expect(failure).toMatchObject({ code, retryable: false });
  expect(failure.message).not.toMatch(/open-sesame|hunter22/);
});

test('a server that speaks something else is given up', async () => {
  const httpServer = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 no\r\n\r\n'));
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  const address = httpServer.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  expect(await failed(having({ port }), 'list', { path: '/' })).toMatchObject({
    code: 'sftp_connect',
    retryable: true,
  });
  httpServer.close();
});

test('the signal ends it at once', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const stop = new AbortController();
  const actor = { ...having({ port: String(typeof address === 'object' ? address?.port : 0) }), signal: stop.signal };
  const outcome = act(actor, 'list', { path: '/' });
  setImmediate(() => stop.abort());
  expect(await outcome).toMatchObject({ kind: 'fail', error: { code: 'sftp_aborted' } });
  silent.close();
});

test('a blocked address is refused', async () => {
  expect(await failed({ ...ada, allow: '' }, 'list', { path: '/' })).toMatchObject({ code: 'sftp_blocked' });
});
