import { Readable } from 'node:stream';
import SmtpConnection from 'nodemailer/lib/smtp-connection';
import { type Peer, secure, tlsOptions } from '../../../lib/egress';
import type { SmtpServer } from '../../../lib/smtp-url';
import type { NodeNet } from '../../contract';
import type { Message } from './message';

/** Where a message goes in, and how to get there. */
export interface MailRoute {
  readonly server: SmtpServer;
  readonly ca?: string;
  readonly net: NodeNet;
}

/** The response of a mail server to an accepted message. */
interface Accepted {
  readonly accepted: string[];
  readonly rejected: string[];
  readonly response: string;
}

/** The progress of a delivery. `sent`: the whole message has been sent. */
export interface Progress {
  stage: 'connecting' | 'login' | 'sending' | 'sent';
}

/** Hands a message to its server. @throws EgressError, and errors of nodemailer */
export async function deliver(
  { server, ca, net }: MailRoute,
  message: Message,
  progress: Progress,
  bounds: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Accepted> {
  const { host, port, security, login } = server;
  const { timeoutMs } = bounds;
  const peer: Peer = { host, verify: 'full', ca };
  const plain = await net.connect({ host, port, ...bounds });
  const connection = new SmtpConnection({
    host,
    port,
    connection: security === 'tls' ? await secure(plain, peer, timeoutMs) : plain,
    secure: security === 'tls',
    secured: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: tlsOptions(peer),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  // It may break between two questions too.
  const broken = new Promise<never>((_, reject) => connection.on('error', reject));
  const ask = <T>(question: (answer: (fault: Error | null, value: T) => void) => void): Promise<T> =>
    Promise.race([
      new Promise<T>((resolve, reject) =>
        question((fault, value) => (fault === null ? resolve(value) : reject(fault))),
      ),
      broken,
    ]);
  try {
    await ask<null>((answer) => connection.connect((fault) => answer(fault ?? null, null)));
    if (login !== null) {
      progress.stage = 'login';
      await ask<unknown>((answer) => connection.login({ user: login.user, pass: login.password }, answer));
    }
    progress.stage = 'sending';
    const bytes = Readable.from([message.bytes], { objectMode: false });
    bytes.once('end', () => (progress.stage = 'sent'));
    const envelope = { from: message.from, to: [...message.to], size: message.bytes.length };
    const { accepted, rejected, response } = await ask<Accepted>((answer) => connection.send(envelope, bytes, answer));
    connection.quit();
    return { accepted, rejected, response };
  } finally {
    connection.close();
  }
}
