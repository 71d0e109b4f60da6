import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A mailbox on loopback, as far as a reader of IMAP4rev1 (RFC 3501) sees it. */
export interface ImapServer {
  readonly port: number;
  /** Commands as they came, without their tags; literals in their places. */
  readonly commands: readonly string[];
  validity: number;
  /** Mails by their numbers. */
  readonly mails: Map<number, string>;
  uidNext: number;
  /** Puts a mail in; its number. */
  deliver(raw: string): number;
  /** Answers a command instead of the server; null: it does. */
  instead: (command: string, tag: string) => string | null;
  greeting: string;
  close(): Promise<void>;
}

const LITERAL = /\{(\d+)\}$/;

export async function startImapServer({ user = 'ada', password = 'sesame "9f\\' } = {}): Promise<ImapServer> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const mails = new Map<number, string>();
  const found = (range: string): number[] => {
    const numbers = [...mails.keys()].sort((a, b) => a - b);
    const [from = '', to] = range.split(':');
    const last = numbers.at(-1);
    if (last === undefined) return [];
    if (from === '*') return [last];
    const first = Math.min(Number(from), to === '*' ? last : Number(from));
    return numbers.filter((uid) => uid >= first && (to === '*' || uid <= Number(to ?? from)));
  };
  const carriedOut = (command: string): string => {
    const [word = '', ...rest] = command.split(' ');
    if (word === 'CAPABILITY') return '* CAPABILITY IMAP4rev1\r\n{tag} OK done\r\n';
    if (word === 'LOGIN')
      return rest.join(' ') === `${user} ${password}` ? '{tag} OK in\r\n' : '{tag} NO [AUTHENTICATIONFAILED] no\r\n';
    if (word === 'EXAMINE')
      return `* ${mails.size} EXISTS\r\n* OK [UIDVALIDITY ${server.validity}] v\r\n* OK [UIDNEXT ${server.uidNext}] n\r\n{tag} OK [READ-ONLY] done\r\n`;
    if (command.startsWith('UID SEARCH UID ')) {
      const numbers = found(command.slice('UID SEARCH UID '.length));
      return `* SEARCH${numbers.map((uid) => ` ${uid}`).join('')}\r\n{tag} OK done\r\n`;
    }
    const fetched = /^UID FETCH (\d+) /.exec(command);
    const mail = fetched === null ? undefined : mails.get(Number(fetched[1]));
    if (fetched === null) return '{tag} BAD what\r\n';
    if (mail === undefined) return '{tag} OK done\r\n';
    const bytes = Buffer.byteLength(mail);
    return `* 1 FETCH (UID ${fetched[1]} BODY[]<0> {${bytes}}\r\n${mail})\r\n{tag} OK done\r\n`;
  };
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.write(server.greeting);
    let come = '';
    let command = '';
    socket.on('data', (chunk) => {
      come += chunk.toString('utf8');
      for (let end = come.indexOf('\r\n'); end !== -1; end = come.indexOf('\r\n')) {
        const line = come.slice(0, end);
        const literal = LITERAL.exec(line);
        if (literal !== null) {
          // The literal follows when it was asked for.
          command += line.slice(0, literal.index);
          come = come.slice(end + 2);
          socket.write('+ go on\r\n');
          continue;
        }
        come = come.slice(end + 2);
        const [tag = '', ...rest] = (command + line).split(' ');
        command = '';
        const whole = rest.join(' ');
        commands.push(whole);
        socket.write((server.instead(whole, tag) ?? carriedOut(whole)).replaceAll('{tag}', tag));
      }
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const server: ImapServer = {
    port: (listener.address() as AddressInfo).port,
    commands,
    validity: 7,
    mails,
    uidNext: 1,
    deliver(raw) {
      mails.set(server.uidNext, raw);
      server.uidNext += 1;
      return server.uidNext - 1;
    },
    instead: () => null,
    greeting: '* OK ready\r\n',
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
  return server;
}
