import { selfSigned } from '../../support/certificate';
import { type ImapServer, startImapServer } from '../../support/imap-server';
import { Watch } from './world';

const PASSWORD = 'sesame "9f\\';
const TOKEN = 'ya29.token';
const certificate = selfSigned('DNS:mail.test');
// Without openssl there is no certificate; `selfSigned` reports it.
const withTls = certificate === null ? test.skip : test;

let server: ImapServer;
const watches: Watch[] = [];
beforeEach(async () => {
  server = await startImapServer({ password: PASSWORD });
});
afterEach(async () => {
  for (const watch of watches.splice(0)) await watch.close();
  await server.close();
});

function mailbox(more = {}): Watch {
  const made = new Watch('email', {
    host: '127.0.0.1',
    port: server.port,
    tls: false,
    allow_plain: true,
    user: 'ada',
    password: PASSWORD,
    ...more,
  });
  watches.push(made);
  return made;
}

const mail = (subject: string, more = ''): string =>
  `From: Bo <bo@example.com>\r\nTo: ada@example.com\r\nSubject: ${subject}\r\nDate: Thu, 1 Jan 2026 12:00:00 +0000\r\n${more}\r\nHello, ${subject}\r\n`;
const subjects = async (watch: Watch) => (await watch.news()).map(({ trigger }) => trigger.subject);

describe('a mailbox', () => {
  test('reports mails that arrive after the creation of the trigger, and changes none of them', async () => {
    server.deliver(mail('old'));
    const watch = mailbox();
    expect(await watch.news()).toEqual([]);
    server.deliver(mail('one', 'Message-ID: <1@example.com>\r\n'));
    server.deliver(mail('two'));
    const [one, two] = await watch.news();
    expect(one).toEqual({
      id: '7.2',
      trigger: {
        uid: 2,
        from: { name: 'Bo', address: 'bo@example.com' },
        to: [{ name: '', address: 'ada@example.com' }],
        cc: [],
        reply_to: [],
        subject: 'one',
        message_id: '<1@example.com>',
        in_reply_to: null,
        date: '2026-01-01T12:00:00.000Z',
        text: expect.stringContaining('Hello, one'),
        html: null,
        attachments: [],
        truncated: false,
        unreadable: null,
      },
    });
    expect(two?.trigger.subject).toBe('two');
    expect(await watch.news()).toEqual([]);
    expect(server.commands.filter((command) => /STORE|SELECT|EXPUNGE|BODY\[/.test(command))).toEqual([]);
  });

  test('that is empty at first reports its first mail', async () => {
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('first'));
    expect(await subjects(watch)).toEqual(['first']);
  });

  test('of a server without UIDNEXT is read', async () => {
    server.deliver(mail('old'));
    server.uidNext = null;
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('new'));
    expect(await subjects(watch)).toEqual(['new']);
  });

  test('with very many new mails reports all of them in parts', async () => {
    const watch = mailbox();
    await watch.news();
    for (let n = 0; n < 60; n += 1) server.deliver(mail(String(n)));
    expect(await subjects(watch)).toEqual(Array.from({ length: 60 }, (_, n) => String(n)));
  });

  test('with another UIDVALIDITY is started again', async () => {
    server.deliver(mail('old'));
    const watch = mailbox();
    await watch.news();
    [server.validity, server.uidNext] = [8, 1];
    server.mailboxes.set('INBOX', []);
    server.deliver(mail('moved'));
    expect(await watch.news()).toEqual([]);
    server.deliver(mail('new'));
    expect((await watch.news()).map(({ id }) => id)).toEqual(['8.2']);
  });

  test('reports the other mails when some are removed before they are read', async () => {
    const watch = mailbox();
    await watch.news();
    const gone = server.deliver(mail('gone'));
    server.deliver(mail('there'));
    server.instead = (command) => (command.startsWith(`UID FETCH ${gone} `) ? '{tag} OK done\r\n' : null);
    expect(await subjects(watch)).toEqual(['there']);
    expect(await watch.news()).toEqual([]);
  });

  test('of any name is encoded as the server requires', async () => {
    await mailbox({ mailbox: '~peter/R&D/日本語' }).poll();
    expect(server.commands).toContain('EXAMINE ~peter/R&-D/&ZeVnLIqe-');
  });

  test('with a command as its name is selected by that name', async () => {
    await mailbox({ mailbox: 'INBOX\r\na9 DELETE INBOX' }).poll();
    expect(server.commands.some((command) => command.startsWith('DELETE'))).toBe(false);
  });
});

describe('a mail', () => {
  test('has its text decoded, and lists its attachments', async () => {
    const watch = mailbox();
    await watch.news();
    const encoded = Buffer.from('Grüße').toString('base64');
    server.deliver(
      `From: =?utf-8?q?J=C3=B6rg?= <j@example.com>\r\nSubject: =?utf-8?b?${Buffer.from('Rechnung für Ä').toString('base64')}?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"\r\n\r\n%PDF\r\n--b--\r\n`,
    );
    expect((await watch.news())[0]?.trigger).toMatchObject({
      from: { name: 'Jörg', address: 'j@example.com' },
      subject: 'Rechnung für Ä',
      text: expect.stringMatching(/^Grüße/),
      attachments: [{ filename: 'a.pdf', type: 'application/pdf', size: expect.any(Number) }],
    });
  });

  test.each([
    [
      'nested without end',
      `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'.repeat(5_000)}`,
    ],
    ['of nothing', ''],
    ['of bytes that are no text', '\u0000\u0001\uffff'.repeat(1_000)],
  ])('%s does not stop the scheduler or later mails', async (_what, raw) => {
    const watch = mailbox();
    await watch.news();
    server.deliver(raw);
    server.deliver(mail('next'));
    expect((await subjects(watch)).at(-1)).toBe('next');
  });
});

describe('a mail server', () => {
  test('that refuses the login is reported without the password', async () => {
    const polled = await mailbox({ password: 'wrong' }).poll();
    expect(polled).toMatchObject({ error: { code: 'login_refused' }, retryable: false });
    expect(JSON.stringify(polled)).not.toContain('wrong');
  });

  test.each<[string, string]>([
    ['says goodbye', '* BYE busy\r\n'],
    ['speaks something else', 'HTTP/1.1 400 Bad Request\r\n'],
  ])('that %s is retried', async (_what, greeting) => {
    server.greeting = greeting;
    expect(await mailbox().poll()).toMatchObject({ kind: 'fault', retryable: true });
  });

  test('that closes the connection is retried', async () => {
    server.greeting = '* OK ready\r\n';
    server.instead = (command) => (command.startsWith('EXAMINE') ? '* BYE\r\n' : null);
    expect(await mailbox().poll()).toMatchObject({ error: { code: 'imap_bye' }, retryable: true });
  });

  test.each<[string, string]>([
    ['a literal of gigabytes', '* 1 FETCH (BODY[] {4000000000}\r\n'],
    ['a line without end', `* SEARCH ${'1'.repeat(3 * 1024 * 1024)}`],
  ])('that announces %s is refused', async (_what, response) => {
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('x'));
    server.instead = (command) => (command.startsWith('UID') ? response : null);
    expect(await watch.poll()).toMatchObject({ error: { code: 'unreadable' } });
  });

  test('at a blocked address is not contacted', async () => {
    expect(await mailbox({ host: '127.0.0.2', port: 143 }).poll()).toMatchObject({
      error: { code: 'source_blocked' },
      retryable: false,
    });
  });

  test.each(['IMAP4rev1 AUTH=PLAIN', 'IMAP4rev1'])(
    'that offers no TLS gets no password unless plain text is allowed: %s',
    async (capabilities) => {
      server.capabilities = capabilities;
      expect(await mailbox({ allow_plain: false }).poll()).toMatchObject({
        error: { code: 'imap_no_tls' },
        retryable: false,
      });
      server.greeting = '* PREAUTH ready\r\n';
      expect(await mailbox({ allow_plain: false }).poll()).toMatchObject({ error: { code: 'imap_no_tls' } });
      expect(server.commands.filter((command) => command !== 'CAPABILITY')).toEqual([]);
    },
  );

  test.each([
    ['password', 'PLAIN'],
    ['xoauth2', 'XOAUTH2'],
  ])('uses SASL for the login when it is offered: %s', async (auth, by) => {
    server.capabilities = 'IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2';
    expect(await mailbox({ auth, password: TOKEN }).poll()).toMatchObject({ error: { code: 'login_refused' } });
    await server.close();
    server = await startImapServer({ password: TOKEN, capabilities: 'IMAP4rev1 AUTH=PLAIN AUTH=XOAUTH2' });
    expect(await mailbox({ auth, password: TOKEN }).news()).toEqual([]);
    expect(server.logins).toEqual([{ by, tls: false }]);
  });

  test('without support for access tokens gets none', async () => {
    const polled = await mailbox({ auth: 'xoauth2', password: TOKEN }).poll();
    expect(polled).toMatchObject({ error: { code: 'login_refused' }, retryable: false });
    expect(JSON.stringify(server.commands)).not.toContain(TOKEN);
  });

  withTls('is asked for TLS first, and shows a certificate that must be good', async () => {
    await server.close();
    server = await startImapServer({ capabilities: 'IMAP4rev1 STARTTLS', certificate });
    expect(await mailbox({ allow_plain: false }).poll()).toMatchObject({ error: { code: 'source_protocol' } });
    expect(server.logins).toEqual([]);
  });

  test('that sends data before TLS starts is disconnected', async () => {
    server.capabilities = 'IMAP4rev1 STARTTLS';
    server.instead = (command) => (command === 'STARTTLS' ? '{tag} OK go\r\n* OK injected\r\n' : null);
    expect(await mailbox().poll()).toMatchObject({ error: { code: 'imap_protocol' } });
    expect(server.commands.some((command) => command.startsWith('LOGIN'))).toBe(false);
  });

  test('that offers TLS without a valid certificate gets no password', async () => {
    server.capabilities = 'IMAP4rev1 STARTTLS';
    server.instead = (command) => (command === 'STARTTLS' ? '{tag} OK go\r\n' : null);
    expect(await mailbox().poll()).toMatchObject({ kind: 'fault' });
    expect(server.commands.some((command) => command.startsWith('LOGIN'))).toBe(false);
  });
});
