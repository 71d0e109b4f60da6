import { createTransport } from 'nodemailer';
import { errorMessage } from './errors';
import type { Clock } from './clock';
import type { MailConfig } from './mail-config';
import type { SmtpServer } from './smtp-url';

/** A mail of the installation itself, as opposed to those that steps send. Plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mails of the installation. */
export interface Mailer {
  /**
   * Resolves when the mail server has taken the mail; tries again while the trouble may pass. Never awaited by a request:
   * what the mail tells of has happened whether it arrives or not.
   * @throws Error in words that name no password
   */
  send(mail: Mail): Promise<void>;
  /** Gives up what waits for another attempt, and closes the connections. */
  close(): void;
}

const CONNECTIONS = 2;
const TIMEOUT_MS = 15_000;
/** Pauses before the attempts after the first one. */
const PAUSES_MS = [2_000, 30_000, 300_000];
/** Mails that wait at the same time; beyond, the mail server is the bottleneck, and memory must not be. */
const MOST_WAITING = 500;

/** The mailer on a mail server (RFC 5321), over a few connections that stay open. */
export function createMailer({ server, from }: MailConfig, clock: Clock): Mailer {
  const { host } = server;
  const transport = createTransport({ pool: true, maxConnections: CONNECTIONS, ...settingsOf(server, TIMEOUT_MS) });
  const pauses = new Set<() => void>();
  let waiting = 0;
  let closed = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        pauses.delete(end);
        resolve();
      };
      const cancel = clock.after(ms, end);
      pauses.add(end);
    });

  async function attempts({ to, subject, text }: Mail): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await transport.sendMail({ from: { ...from }, to: { name: '', address: to }, subject, text });
        return;
      } catch (fault) {
        const next = PAUSES_MS[attempt];
        if (closed || next === undefined || !mayPass(fault)) throw inWords(fault, host);
        await pause(next);
        if (closed) throw inWords(fault, host);
      }
    }
  }

  return {
    async send(mail) {
      if (closed || waiting >= MOST_WAITING) throw new Error('No more mails can wait for the mail server');
      waiting += 1;
      try {
        await attempts(mail);
      } finally {
        waiting -= 1;
      }
    },
    close() {
      closed = true;
      for (const end of pauses) end();
      transport.close();
    },
  };
}

/** Connects and logs in, and sends nothing. @throws Error in words that name no password */
export async function tryMailServer(server: SmtpServer, patienceMs: number): Promise<void> {
  const transport = createTransport(settingsOf(server, patienceMs));
  try {
    await transport.verify();
  } catch (fault) {
    throw inWords(fault, server.host);
  } finally {
    transport.close();
  }
}

const settingsOf = ({ host, port, security, login }: SmtpServer, patienceMs: number) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
  connectionTimeout: patienceMs,
  greetingTimeout: patienceMs,
  socketTimeout: patienceMs,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Everything but a last word of the server (5xx, RFC 5321 section 4.2.1) and a refused login. */
function mayPass(fault: unknown): boolean {
  const { code, responseCode } = fault as { code?: unknown; responseCode?: unknown };
  return code !== 'EAUTH' && !(typeof responseCode === 'number' && responseCode >= 500);
}

/** Servers quote the login that they refuse, so of a refused one only that it was is told. */
function inWords(fault: unknown, host: string): Error {
  const login = (fault as { code?: unknown }).code === 'EAUTH';
  return new Error(`The mail server ${host} ${login ? 'refuses the login' : `failed: ${errorMessage(fault)}`}`);
}
