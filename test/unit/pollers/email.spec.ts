import { mailboxName } from '../../../nodes/pollers/email/mailbox-name';
import { type ImapServer, startImapServer } from '../../support/imap-server';
import { Watch } from './world';

const PASSWORD = 'sesame "9f\\';

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
  test('tells of mails that come in after the trigger was made, and changes none of them', async () => {
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

  test('that begins empty tells of its first mail', async () => {
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('first'));
    expect(await subjects(watch)).toEqual(['first']);
  });

  test('of a server that does not say what number comes next is read all the same', async () => {
    server.deliver(mail('old'));
    server.instead = (command) =>
      command.startsWith('EXAMINE') ? '* 1 EXISTS\r\n* OK [UIDVALIDITY 7] v\r\n{tag} OK done\r\n' : null;
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('new'));
    expect(await subjects(watch)).toEqual(['new']);
  });

  test('with very many new mails tells of all, some at a time', async () => {
    const watch = mailbox();
    await watch.news();
    for (let n = 0; n < 60; n += 1) server.deliver(mail(String(n)));
    expect(await subjects(watch)).toEqual(Array.from({ length: 60 }, (_, n) => String(n)));
  });

  test('whose numbers mean something else is begun anew', async () => {
    server.deliver(mail('old'));
    const watch = mailbox();
    await watch.news();
    [server.validity, server.uidNext] = [8, 1];
    server.mails.clear();
    server.deliver(mail('moved'));
    expect(await watch.news()).toEqual([]);
    server.deliver(mail('new'));
    expect((await watch.news()).map(({ id }) => id)).toEqual(['8.2']);
  });

  test('whose mails are removed before they are read tells of the others', async () => {
    const watch = mailbox();
    await watch.news();
    const gone = server.deliver(mail('gone'));
    server.deliver(mail('there'));
    server.instead = (command) => (command.startsWith(`UID FETCH ${gone} `) ? '{tag} OK done\r\n' : null);
    expect(await subjects(watch)).toEqual(['there']);
    expect(await watch.news()).toEqual([]);
  });

  test('of any name is named as the server writes it', () => {
    expect(mailboxName('INBOX')).toBe('INBOX');
    expect(mailboxName('R&D')).toBe('R&-D');
    expect(mailboxName('~peter/mail/台北/日本語')).toBe('~peter/mail/&U,BTFw-/&ZeVnLIqe-');
  });

  test('whose name tries to be a command is asked for by that name', async () => {
    await mailbox({ mailbox: 'INBOX\r\na9 DELETE INBOX' }).poll();
    expect(server.commands.some((command) => command.startsWith('DELETE'))).toBe(false);
  });
});

describe('a mail', () => {
  test('has its text decoded, and says what is attached', async () => {
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
  ])('%s ends no scheduler, and holds up none of those behind it', async (_what, raw) => {
    const watch = mailbox();
    await watch.news();
    server.deliver(raw);
    server.deliver(mail('next'));
    expect((await subjects(watch)).at(-1)).toBe('next');
  });
});

describe('a mail server', () => {
  test('that refuses the login is told of without the password', async () => {
    const polled = await mailbox({ password: 'wrong' }).poll();
    expect(polled).toMatchObject({ error: { code: 'login_refused' }, retryable: false });
    expect(JSON.stringify(polled)).not.toContain('wrong');
  });

  test.each<[string, string]>([
    ['says goodbye', '* BYE busy\r\n'],
    ['speaks something else', 'HTTP/1.1 400 Bad Request\r\n'],
  ])('that %s is asked again', async (_what, greeting) => {
    server.greeting = greeting;
    expect(await mailbox().poll()).toMatchObject({ kind: 'fault', retryable: true });
  });

  test('that closes in the middle is asked again', async () => {
    server.greeting = '* OK ready\r\n';
    server.instead = (command) => (command.startsWith('EXAMINE') ? '* BYE\r\n' : null);
    expect(await mailbox().poll()).toMatchObject({ error: { code: 'imap_bye' }, retryable: true });
  });

  test.each<[string, string]>([
    ['a literal of gigabytes', '* 1 FETCH (BODY[] {4000000000}\r\n'],
    ['a line without end', `* SEARCH ${'1'.repeat(3 * 1024 * 1024)}`],
  ])('that announces %s is not believed', async (_what, said) => {
    const watch = mailbox();
    await watch.news();
    server.deliver(mail('x'));
    server.instead = (command) => (command.startsWith('UID') ? said : null);
    expect(await watch.poll()).toMatchObject({ error: { code: 'unreadable' } });
  });

  test('at an address that may not be reached is not asked', async () => {
    expect(await mailbox({ host: '10.0.0.1', port: 143 }).poll()).toMatchObject({
      error: { code: 'source_blocked' },
      retryable: false,
    });
  });

  test('that speaks before TLS has begun is left alone', async () => {
    server.instead = (command) => {
      if (command === 'CAPABILITY') return '* CAPABILITY IMAP4rev1 STARTTLS\r\n{tag} OK done\r\n';
      return command === 'STARTTLS' ? '{tag} OK go\r\n* OK injected\r\n' : null;
    };
    expect(await mailbox().poll()).toMatchObject({ error: { code: 'imap_protocol' } });
    expect(server.commands.some((command) => command.startsWith('LOGIN'))).toBe(false);
  });

  test('that offers TLS, and has no certificate to show, gets no password', async () => {
    server.instead = (command) => {
      if (command === 'CAPABILITY') return '* CAPABILITY IMAP4rev1 STARTTLS\r\n{tag} OK done\r\n';
      return command === 'STARTTLS' ? '{tag} OK go\r\n' : null;
    };
    expect(await mailbox().poll()).toMatchObject({ kind: 'fault' });
    expect(server.commands.some((command) => command.startsWith('LOGIN'))).toBe(false);
  });
});
