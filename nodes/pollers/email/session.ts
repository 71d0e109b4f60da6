import type { Socket } from 'node:net';
import { secure } from '../../../lib/egress';
import type { NodeNet } from '../../contract';
import { PollFault } from '../fault';
import { type ImapResponse, Responses } from './responses';

const CONNECT_MS = 10_000;
const LONGEST_SAID = 200;

/** A mail server, and how to come in. */
export interface Mailbox {
  readonly host: string;
  readonly port: number;
  /** From the first byte; else when the server offers it. */
  readonly tls: boolean;
  readonly user: string;
  readonly password: string;
}

/** What a command has come to: everything that was said before its end, and what the end says. */
export interface Done {
  readonly responses: readonly ImapResponse[];
  readonly end: string;
}

/** A session with a mail server over IMAP4rev1 (RFC 3501) that only reads. */
export class ImapSession {
  #count = 0;

  private constructor(
    private socket: Socket,
    private responses: Responses,
  ) {}

  /** @throws PollFault, EgressError */
  static async open(net: NodeNet, mailbox: Mailbox, signal: AbortSignal): Promise<ImapSession> {
    const { host, port, tls } = mailbox;
    const plain = await net.connect({ host, port, timeoutMs: CONNECT_MS, signal });
    const socket = tls ? await secure(plain, { host, verify: 'full' }, CONNECT_MS) : plain;
    const session = new ImapSession(socket, new Responses(socket));
    try {
      await session.#begin(mailbox);
      return session;
    } catch (thrown) {
      session.close();
      throw thrown;
    }
  }

  close(): void {
    this.socket.destroy();
  }

  /** Carries out a command. Texts of others go as literals, so that nothing in them is a command. @throws PollFault */
  async run(command: string, ...texts: readonly string[]): Promise<Done> {
    const tag = `a${++this.#count}`;
    const responses: ImapResponse[] = [];
    let line = `${tag} ${command}`;
    for (const text of texts) {
      const bytes = Buffer.from(text);
      this.socket.write(`${line} {${bytes.length}}\r\n`);
      const early = await this.#until(tag, responses, true);
      if (early !== null) return finished(command, early, responses);
      this.socket.write(bytes);
      line = '';
    }
    this.socket.write(`${line}\r\n`);
    return finished(command, (await this.#until(tag, responses, false)) ?? '', responses);
  }

  async #begin({ host, tls, user, password }: Mailbox): Promise<void> {
    const greeting = await this.responses.next();
    if (!/^\* (OK|PREAUTH)\b/i.test(greeting.line)) throw refused('imap_refused', greeting.line, true);
    if (!tls && (await this.#offers('STARTTLS'))) {
      await this.run('STARTTLS');
      this.responses.release();
      this.socket = await secure(this.socket, { host, verify: 'full' }, CONNECT_MS);
      this.responses = new Responses(this.socket);
    }
    if (/^\* PREAUTH\b/i.test(greeting.line)) return;
    await this.run('LOGIN', user, password);
  }

  async #offers(capability: string): Promise<boolean> {
    const { responses } = await this.run('CAPABILITY');
    return responses.some(({ line }) => line.toUpperCase().split(' ').includes(capability));
  }

  /** Gathers what is said. Answers the end of the command; null when the server asks for the rest of it. */
  async #until(tag: string, responses: ImapResponse[], mayGoOn: boolean): Promise<string | null> {
    for (;;) {
      const response = await this.responses.next();
      if (mayGoOn && response.line.startsWith('+')) return null;
      if (response.line.startsWith(`${tag} `)) return response.line.slice(tag.length + 1);
      if (/^\* BYE\b/i.test(response.line)) throw refused('imap_bye', response.line.slice(2), true);
      responses.push(response);
    }
  }
}

/** @throws PollFault where the server refuses the command */
function finished(command: string, end: string, responses: readonly ImapResponse[]): Done {
  if (/^OK\b/i.test(end)) return { responses, end };
  const [word = ''] = command.split(' ', 1);
  if (word === 'LOGIN')
    throw refused('login_refused', `the mail server refuses the login: ${said(end)}`, isPassing(end));
  throw refused('imap_refused', `the mail server refuses ${word}: ${said(end)}`, isPassing(end));
}

/** RFC 5530: what is over by itself. */
const isPassing = (end: string): boolean => /\[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)\]/i.test(end);

const said = (text: string): string => text.slice(0, LONGEST_SAID);

const refused = (code: string, message: string, retryable: boolean): PollFault =>
  new PollFault(code, said(message), retryable);
