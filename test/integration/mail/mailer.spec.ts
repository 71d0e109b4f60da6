import { createMailer, type Mailer } from '../../../lib/mailer';
import { type MailConfig, readMail } from '../../../lib/mail-config';
import { type MailServer, startMailServer } from '../../support/mail-server';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';

const MAIL = { to: 'bob@example.com', subject: 'Hello', text: 'A line.\n' };
const clock = new ManualClock();

let server: MailServer;
const mailers: Mailer[] = [];
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(async () => {
  for (const mailer of mailers.splice(0)) mailer.close();
  await server.close();
});

/** The mailer of an environment that names the server, or another one. */
function mailer(url = server.env.SMTP_URL as string): Mailer {
  const env: Record<string, string> = { ...server.env, SMTP_URL: url };
  const faults: string[] = [];
  const config = readMail((name) => env[name] ?? null, faults);
  expect(faults).toEqual([]);
  const made = createMailer(config as MailConfig, clock);
  mailers.push(made);
  return made;
}

describe('the mailer', () => {
  test('hands a mail to its server, and resolves when that has it', async () => {
    await mailer().send(MAIL);
    expect(server.mails).toMatchObject([{ to: 'bob@example.com', subject: 'Hello' }]);
  });

  test('tries again while the server is busy, and gives up after the last pause', async () => {
    server.refuse(3);
    const sending = mailer().send(MAIL);
    await until('the mail is there', () => {
      clock.advance(60_000);
      return server.mails.length === 1;
    });
    await sending;
    server.refuse(4);
    const lost = mailer()
      .send(MAIL)
      .catch((fault: Error) => fault.message);
    let message: string | null = null;
    void lost.then((given) => (message = given as string));
    await until('it has given up', () => {
      clock.advance(60_000);
      return message;
    });
    expect(message).toContain('127.0.0.1 failed');
  });

  test('does not try a refused login again, nor tell its password', async () => {
    const url = new URL(server.env.SMTP_URL as string);
    const sent = mailer(`smtp://ada:sesame@${url.host}?security=none`).send(MAIL);
    const fault = await sent.then(
      () => null,
      (error: Error) => error,
    );
    expect(fault?.message).toBe('The mail server 127.0.0.1 refuses the login');
  });

  test('ends what waits when it is closed', async () => {
    server.refuse(10);
    const made = mailer();
    const sending = made.send(MAIL).catch((fault: Error) => fault.message);
    await until('the server has refused once', () => server.refusals === 9);
    made.close();
    expect(await sending).toContain('failed');
    await expect(made.send(MAIL)).rejects.toThrow('The mailer is closed');
  });
});
