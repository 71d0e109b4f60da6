import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { type Actor, done, failed } from '../../support/connectors/act';
import { selfSigned } from '../../support/certificate';
import { type ImapServer, type ImapServerOptions, startImapServer } from '../../support/imap-server';

const certificate = selfSigned('DNS:mail.test');
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withTls = certificate === null ? test.skip : test;

let server: ImapServer;
let ada: Actor;

const raw = (from: string, subject: string): string =>
  `From: ${from}\r\nTo: orders@shop.example\r\nSubject: ${subject}\r\n\r\nHello from ${from}\r\n`;

async function open(options: ImapServerOptions = {}): Promise<void> {
  server = await startImapServer(options);
  server.mailboxes.set('INBOX', [
    { uid: 7, raw: raw('ada@example.com', 'Order 1'), flags: new Set(['\\Seen']) },
    { uid: 9, raw: raw('grace@example.com', 'Order 2'), flags: new Set() },
    { uid: 12, raw: raw('ada@example.com', 'Hi'), flags: new Set() },
  ]);
  server.mailboxes.set('Entw&APw-rfe', []);
  const credentials = {
    host: 'mail.test',
    port: String(server.port),
    tls: 'false',
    allow_plain: 'true',
    user: 'ada',
    password: 'sesame',
  };
  ada = { connector: connectorsByName.get('imap') as Connector, credentials };
}
beforeEach(() => open());
afterEach(() => server.close());

test('mailboxes are listed by their names', async () => {
  expect(await done(ada, 'list')).toMatchObject({ mailboxes: [{ name: 'INBOX' }, { name: 'Entwürfe' }], count: 2 });
});

test('mails are found by all conditions of the input, newest first', async () => {
  expect(await done(ada, 'search')).toEqual({ uids: [12, 9, 7], count: 3 });
  expect(await done(ada, 'search', { seen: false, limit: 1 })).toEqual({ uids: [12], count: 2 });
  expect(await done(ada, 'search', { from: 'ada@', subject: 'Order' })).toEqual({ uids: [7], count: 1 });
  await done(ada, 'search', { since: '2030-01-05', before: '2030-02-28' });
  expect(server.commands.at(-1)).toBe('UID SEARCH SINCE 05-Jan-2030 BEFORE 28-Feb-2030');
});

test('a search text is no command', async () => {
  const sly = 'x\r\na9 UID STORE 7 +FLAGS.SILENT (\\Deleted)';
  expect(await failed(ada, 'search', { subject: sly })).toMatchObject({ code: 'invalid_config', retryable: false });
  const quoted = '") UID STORE 7 +FLAGS.SILENT (\\Deleted';
  expect(await done(ada, 'search', { subject: quoted })).toEqual({ uids: [], count: 0 });
  expect(server.commands.at(-1)).toBe(`UID SEARCH SUBJECT ${quoted}`);
  expect(server.mailboxes.get('INBOX')?.[0]?.flags).toEqual(new Set(['\\Seen']));
  expect(await failed(ada, 'search', { mailbox: 'INBOX\r\nx' })).toMatchObject({ code: 'invalid_config' });
});

test('a mail is read, and not marked by that', async () => {
  expect(await done(ada, 'fetch', { uid: 9 })).toMatchObject({
    uid: 9,
    flags: [],
    from: { address: 'grace@example.com' },
    subject: 'Order 2',
    text: expect.stringContaining('Hello from grace'),
    truncated: false,
  });
  expect(await failed(ada, 'fetch', { uid: 8 })).toMatchObject({ code: 'imap_not_found', retryable: false });
});

test('a mail is marked, and what is left out stays', async () => {
  await done(ada, 'mark', { uid: 7, seen: false, flagged: true });
  expect(server.mailboxes.get('INBOX')?.[0]?.flags).toEqual(new Set(['\\Flagged']));
});

test.each(['IMAP4rev1 MOVE', 'IMAP4rev1 UIDPLUS'])('a mail is moved by a server of %s', async (capabilities) => {
  await server.close();
  await open({ capabilities });
  expect(await done(ada, 'move', { uid: 9, to: 'Entwürfe' })).toEqual({ uid: 9, mailbox: 'Entwürfe' });
  expect(server.mailboxes.get('INBOX')?.map(({ uid }) => uid)).toEqual([7, 12]);
  expect(server.mailboxes.get('Entw&APw-rfe')).toHaveLength(1);
  expect(await failed(ada, 'move', { uid: 7, to: 'Nowhere' })).toMatchObject({ code: 'imap_refused' });
  expect(server.mailboxes.get('INBOX')).toHaveLength(2);
});

test('a wrong password is reported, and not shown', async () => {
  const failure = await failed({ ...ada, credentials: { ...ada.credentials, password: 'open-sesame' } }, 'list');
  expect(failure).toMatchObject({ code: 'login_refused', retryable: false });
  expect(failure.message).not.toContain('open-sesame');
});

test('a blocked address is refused', async () => {
  expect(await failed({ ...ada, allow: '' }, 'list')).toMatchObject({ code: 'imap_blocked', retryable: false });
});

withTls('a password or an access token goes over TLS only, which STARTTLS begins', async () => {
  await server.close();
  await open({ capabilities: 'IMAP4rev1 STARTTLS AUTH=PLAIN AUTH=XOAUTH2', certificate });
  const credentials = { ...ada.credentials, allow_plain: 'false', ca: certificate?.cert ?? '' };
  const secured = { ...ada, credentials };
  expect(await done(secured, 'list')).toMatchObject({ count: 2 });
  const byToken = { ...secured, credentials: { ...credentials, auth: 'xoauth2' } };
  expect(await done(byToken, 'list')).toMatchObject({ count: 2 });
  expect(server.logins).toEqual([
    { by: 'PLAIN', tls: true },
    { by: 'XOAUTH2', tls: true },
  ]);
  server.capabilities = 'IMAP4rev1 AUTH=PLAIN';
  expect(await failed(secured, 'list')).toMatchObject({ code: 'imap_no_tls', retryable: false });
  expect(server.logins).toHaveLength(2);
});
