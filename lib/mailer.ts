import { createTransport } from 'nodemailer';
import { errorMessage } from './errors';
import type { Clock } from './clock';
import type { MailConfig } from './mail-config';
import type { SmtpServer } from './smtp-url';

/** A plain-text mail of the installation itself, not of a step. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Makes `Message-ID`, the same for a repetition; absent: a random one. */
  readonly id?: string;
}

/** Sends mails of the installation. */
export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail; retries temporary faults. Requests do not await it: the event
   * that the mail reports has already happened.
   * @throws Error without passwords
   */
  send(mail: Mail): Promise<void>;
  /** One attempt, for callers that store the mail and repeat it themselves. @throws Error without passwords */
  sendOnce(mail: Mail): Promise<void>;
  /** Cancels retries and closes the connections. */
  close(): void;
}

const CONNECTIONS = 2;
const TIMEOUT_MS = 15_000;
/** Pauses before each retry. */
const PAUSES_MS = [2_000, 30_000, 300_000];
/** Maximum number of queued mails, to bound memory when the mail server is slow. */
const MAX_QUEUED_MAILS = 500;

/** A mailer for an SMTP server (RFC 5321), over a few persistent connections. */
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

  async function attempt({ to, subject, text, id }: Mail): Promise<void> {
    const messageId = id === undefined ? {} : { messageId: `<${id}@${domainOf(from.address)}>` };
    await transport.sendMail({ from: { ...from }, to: { name: '', address: to }, subject, text, ...messageId });
  }

  async function attempts(mail: Mail): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await attempt(mail);
        return;
      } catch (fault) {
        const next = PAUSES_MS[tries];
        if (closed || next === undefined || !mayPass(fault)) throw inWords(fault, host);
        await pause(next);
        if (closed) throw inWords(fault, host);
      }
    }
  }

  async function queued(work: () => Promise<void>): Promise<void> {
    if (closed) throw new Error('The mailer is closed; the process is shutting down');
    if (waiting >= MAX_QUEUED_MAILS)
      throw new Error('The mail queue is full; the mail server is too slow or unreachable');
    waiting += 1;
    try {
      await work();
    } finally {
      waiting -= 1;
    }
  }

  return {
    send: (mail) => queued(() => attempts(mail)),
    sendOnce: (mail) =>
      queued(() =>
        attempt(mail).catch((fault: unknown) => {
          throw inWords(fault, host);
        }),
      ),
    close() {
      closed = true;
      for (const end of pauses) end();
      transport.close();
    },
  };
}

/** Connects and logs in, without sending. @throws Error without passwords */
export async function tryMailServer(server: SmtpServer, timeoutMs: number): Promise<void> {
  const transport = createTransport(settingsOf(server, timeoutMs));
  try {
    await transport.verify();
  } catch (fault) {
    throw inWords(fault, server.host);
  } finally {
    transport.close();
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const settingsOf = ({ host, port, security, login }: SmtpServer, timeoutMs: number) => ({
  host,
  port,
  secure: security === 'tls',
  requireTLS: security === 'starttls',
  ignoreTLS: security === 'none',
  ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** Temporary faults: all but a permanent reply (5xx, RFC 5321 section 4.2.1) and a rejected login. */
function mayPass(fault: unknown): boolean {
  const { code, responseCode } = fault as { code?: unknown; responseCode?: unknown };
  return code !== 'EAUTH' && !(typeof responseCode === 'number' && responseCode >= 500);
}

/** Servers quote the rejected login, so their reply is not repeated. */
function inWords(fault: unknown, host: string): Error {
  const login = (fault as { code?: unknown }).code === 'EAUTH';
  return new Error(`The mail server ${host} ${login ? 'refuses the login' : `failed: ${errorMessage(fault)}`}`);
}
