import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { until } from './until';

/** A mail that has arrived, its text decoded. */
export interface ReceivedMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A mail server on loopback that accepts every mail, or refuses as many for now as the test configures. */
export interface MailServer {
  /** The environment of a process that sends mails by it. */
  readonly env: Readonly<Record<string, string>>;
  readonly mails: readonly ReceivedMail[];
  refuse(times: number): void;
  /** How many refusals are left. */
  readonly refusals: number;
  /** Waits for the next mail to an address with this subject, and removes it. */
  next(to: string, subject: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refusals = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 1,
    logger: false,
    onMailFrom(_address, _session, answer) {
      if (refusals === 0) return answer();
      refusals -= 1;
      return answer(Object.assign(new Error('busy'), { responseCode: 451 }));
    },
    onData(stream, session, answer) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', ...parsed(Buffer.concat(chunks).toString()) });
        answer(null);
      });
    },
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}?security=none`, SMTP_FROM: 'Everstep <no-reply@everstep.test>' },
    mails,
    refuse: (times) => (refusals = times),
    get refusals() {
      return refusals;
    },
    next: (to, subject) =>
      until(`the mail "${subject}" to ${to}`, () => {
        const at = mails.findIndex((mail) => mail.to === to && mail.subject === subject);
        return Promise.resolve(at < 0 ? null : (mails.splice(at, 1)[0] as ReceivedMail));
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The token in the link of a mail. @throws Error without one */
export function tokenIn({ text }: ReceivedMail): string {
  const token = /\?token=([\w-]+)/.exec(text)?.[1];
  if (token === undefined) throw new Error(`There is no link in: ${text}`);
  return token;
}

/** Subject and text of a short MIME message (RFC 2045). */
function parsed(message: string): Pick<ReceivedMail, 'subject' | 'text'> {
  const [head = '', ...body] = message.split('\r\n\r\n');
  const text = body.join('\r\n\r\n');
  const encoded = /^content-transfer-encoding: quoted-printable/im.test(head);
  return {
    subject: /^subject: (.*)$/im.exec(head)?.[1]?.trim() ?? '',
    text: encoded
      ? text
          .replace(/=\r\n/g, '')
          .replace(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
      : text,
  };
}
