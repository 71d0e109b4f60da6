import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificate';

/** A mail in a mailbox. */
export interface StoredMail {
  readonly uid: number;
  readonly raw: string;
  readonly flags: Set<string>;
}

/** A mail server on loopback with the commands of IMAP4rev1 (RFC 3501, RFC 6851) that clients here use. */
export interface ImapServer {
  readonly port: number;
  readonly mailboxes: Map<string, StoredMail[]>;
  /** Commands as they came, without their tags; quotes and literals as plain words. */
  readonly commands: string[];
  /** How clients have logged in: the mechanism, and whether by TLS. */
  readonly logins: { readonly by: string; readonly tls: boolean }[];
  capabilities: string;
  /** Null: the server does not announce it. */
  validity: number | null;
  uidNext: number | null;
  greeting: string;
  /** Answers a command instead of the server; null: it does. `{tag}` stands for the tag. */
  instead: (command: string) => string | null;
  /** Puts a mail into the inbox; its number. */
  deliver(raw: string): number;
  close(): Promise<void>;
}

export interface ImapServerOptions {
  readonly user?: string;
  /** An access token where the login is by one. */
  readonly password?: string;
  readonly capabilities?: string;
  /** For STARTTLS. */
  readonly certificate?: Certificate | null;
}

export async function startImapServer({
  user = 'ada',
  password = 'sesame',
  capabilities = 'IMAP4rev1 MOVE',
  certificate = null,
}: ImapServerOptions = {}): Promise<ImapServer> {
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Talk(socket, server, { user, password, certificate }).begin(server.greeting);
  });
  let last = 0;
  const server: ImapServer = {
    port: 0,
    mailboxes: new Map([['INBOX', []]]),
    commands: [],
    logins: [],
    capabilities,
    validity: 7,
    uidNext: 1,
    greeting: '* OK ready\r\n',
    instead: () => null,
    deliver(raw) {
      last = server.uidNext ?? last + 1;
      if (server.uidNext !== null) server.uidNext = last + 1;
      server.mailboxes.get('INBOX')?.push({ uid: last, raw, flags: new Set() });
      return last;
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { port: (listener.address() as AddressInfo).port });
}

type Accepts = Required<Pick<ImapServerOptions, 'user' | 'password'>> & { readonly certificate: Certificate | null };

class Talk {
  #selected = '';
  #tls = false;
  /** The mechanism of a login that waits for its answer, and its tag. */
  #login: { readonly by: string; readonly tag: string } | null = null;

  constructor(
    private socket: Socket,
    private readonly server: ImapServer,
    private readonly accepts: Accepts,
  ) {}

  begin(greeting: string): void {
    this.#listen();
    this.socket.write(greeting);
  }

  #listen(): void {
    this.socket.on('error', () => undefined);
    onCommands(this.socket, (words) => this.#take(words));
  }

  #take(words: string[]): void {
    if (this.#login !== null) return this.#endLogin(this.#login, words.join(' '));
    const [tag = '', ...command] = words;
    const text = command.join(' ');
    this.server.commands.push(text);
    const instead = this.server.instead(text);
    if (instead !== null) return void this.socket.write(instead.replaceAll('{tag}', tag));
    const verb = (command[0] === 'UID' ? command.splice(0, 2).join(' ') : (command.shift() ?? '')).toUpperCase();
    if (verb === 'STARTTLS' && this.accepts.certificate !== null) return this.#startTls(tag, this.accepts.certificate);
    if (verb === 'AUTHENTICATE') {
      this.#login = { by: command[0] ?? '', tag };
      return command[1] === undefined ? void this.socket.write('+ \r\n') : this.#endLogin(this.#login, command[1]);
    }
    this.socket.write(`${tag} ${this.#do(verb, command) ?? 'OK done'}\r\n`);
  }

  #startTls(tag: string, certificate: Certificate): void {
    this.socket.removeAllListeners('data');
    this.socket.write(`${tag} OK go\r\n`);
    this.socket = new TLSSocket(this.socket, { isServer: true, secureContext: createSecureContext(certificate) });
    this.#tls = true;
    this.#listen();
  }

  #endLogin({ by, tag }: { readonly by: string; readonly tag: string }, answer: string): void {
    this.#login = null;
    const { user, password } = this.accepts;
    const wanted = by === 'PLAIN' ? `\0${user}\0${password}` : `user=${user}\u0001auth=Bearer ${password}\u0001\u0001`;
    if (Buffer.from(answer, 'base64').toString() === wanted) {
      this.server.logins.push({ by, tls: this.#tls });
      this.socket.write(`${tag} OK in\r\n`);
    } else if (by === 'PLAIN' || answer === '') {
      this.socket.write(`${tag} NO [AUTHENTICATIONFAILED] no\r\n`);
    } else {
      // The error is sent as one more challenge, which the client answers by an empty line.
      this.#login = { by, tag };
      this.socket.write(`+ ${Buffer.from('{"status":"400"}').toString('base64')}\r\n`);
    }
  }

  get #mails(): StoredMail[] {
    return this.server.mailboxes.get(this.#selected) ?? [];
  }

  /** Null, or the reason of the refusal. */
  #do(verb: string, rest: string[]): string | null {
    const [first = '', second = ''] = rest;
    const { mailboxes, validity, uidNext, capabilities } = this.server;
    const mail = this.#mails.find(({ uid }) => uid === Number(first));
    switch (verb) {
      case 'CAPABILITY':
        this.socket.write(`* CAPABILITY ${capabilities}\r\n`);
        return null;
      case 'LOGIN':
        if (first !== this.accepts.user || second !== this.accepts.password) return 'NO [AUTHENTICATIONFAILED] no';
        this.server.logins.push({ by: 'LOGIN', tls: this.#tls });
        return null;
      case 'LIST':
        if (second === '') this.socket.write('* LIST (\\Noselect) "/" ""\r\n');
        for (const name of mailboxes.keys())
          if (second === '*' || second === name) this.socket.write(`* LIST (\\HasNoChildren) "/" "${name}"\r\n`);
        return null;
      case 'LSUB':
        return null;
      case 'SELECT':
      case 'EXAMINE':
        if (!mailboxes.has(first)) return 'NO [NONEXISTENT] no such mailbox';
        this.#selected = first;
        this.socket.write(`* ${this.#mails.length} EXISTS\r\n`);
        if (validity !== null) this.socket.write(`* OK [UIDVALIDITY ${validity}] v\r\n`);
        if (uidNext !== null) this.socket.write(`* OK [UIDNEXT ${uidNext}] n\r\n`);
        return null;
      case 'UID SEARCH':
        this.socket.write(
          `* SEARCH${this.#found(rest)
            .map((uid) => ` ${uid}`)
            .join('')}\r\n`,
        );
        return null;
      case 'UID FETCH':
        if (mail === undefined) return null;
        this.socket.write(
          `* 1 FETCH (UID ${mail.uid} FLAGS (${[...mail.flags].join(' ')}) BODY[]<0> {${Buffer.byteLength(mail.raw)}}\r\n${mail.raw})\r\n`,
        );
        return null;
      case 'UID STORE':
        for (const flag of rest.slice(2).join(' ').replace(/[()]/g, '').split(' '))
          if (second.startsWith('+')) mail?.flags.add(flag);
          else mail?.flags.delete(flag);
        return null;
      case 'UID COPY':
      case 'UID MOVE': {
        const target = mailboxes.get(second);
        if (target === undefined) return 'NO [TRYCREATE] no such mailbox';
        if (mail !== undefined) target.push({ ...mail, uid: 1_000 + target.length });
        return verb === 'UID MOVE' ? this.#remove(Number(first)) : null;
      }
      case 'UID EXPUNGE':
        return mail?.flags.has('\\Deleted') === true ? this.#remove(Number(first)) : null;
      default:
        return 'BAD what?';
    }
  }

  #remove(uid: number): null {
    this.server.mailboxes.set(
      this.#selected,
      this.#mails.filter((mail) => mail.uid !== uid),
    );
    return null;
  }

  /** Numbers of the mails that fit every criterion. */
  #found(criteria: string[]): number[] {
    let found = this.#mails;
    const last = Math.max(...found.map(({ uid }) => uid));
    const numberOf = (text: string): number => (text === '*' ? last : Number(text));
    const words = [...criteria];
    for (let word = words.shift(); word !== undefined; word = words.shift()) {
      if (word === 'CHARSET') words.shift();
      else if (word === 'UNSEEN') found = found.filter(({ flags }) => !flags.has('\\Seen'));
      else if (word === 'UID') {
        const [from = '', to = from] = (words.shift() ?? '').split(':');
        const [low = 0, high = 0] = [numberOf(from), numberOf(to)].sort((a, b) => a - b);
        found = found.filter(({ uid }) => uid >= low && uid <= high);
      } else if (word === 'FROM' || word === 'SUBJECT') {
        const [header, text] = [new RegExp(`^${word}: (.*)$`, 'im'), words.shift() ?? ''];
        found = found.filter(({ raw }) => header.exec(raw)?.[1]?.includes(text) === true);
      } else if (word === 'SINCE' || word === 'BEFORE') words.shift();
    }
    return found.map(({ uid }) => uid).sort((a, b) => a - b);
  }
}

/** Words of each command: quoted ones and literals without quotes and length. */
function onCommands(socket: Socket, take: (words: string[]) => void): void {
  let bytes = Buffer.alloc(0);
  let words: string[] = [];
  let wanted: number | null = null;
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      if (wanted !== null) {
        if (bytes.length < wanted) return;
        words.push(bytes.subarray(0, wanted).toString());
        bytes = bytes.subarray(wanted);
        wanted = null;
      }
      const end = bytes.indexOf('\r\n');
      if (end === -1) return;
      const line = bytes.subarray(0, end).toString();
      bytes = bytes.subarray(end + 2);
      const literal = /\{(\d+)\+?\}$/.exec(line);
      for (const [whole, quoted] of line.slice(0, literal?.index).matchAll(/"((?:[^"\\]|\\.)*)"|[^ ]+/g))
        words.push(quoted === undefined ? whole : quoted.replace(/\\(.)/g, '$1'));
      if (literal === null) {
        const whole = words;
        words = [];
        take(whole);
      } else {
        wanted = Number(literal[1]);
        if (!literal[0].includes('+')) socket.write('+ go on\r\n');
      }
    }
  });
}
