import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail in a mailbox. */
export interface StoredMail {
  readonly uid: number;
  readonly raw: string;
  readonly flags: Set<string>;
}

/** A mail server that speaks as much of IMAP4rev1 (RFC 3501, RFC 6851) as its tests need, and knows ada and sesame. */
export interface ImapServer {
  readonly port: number;
  readonly mailboxes: Map<string, StoredMail[]>;
  /** Commands as they came, with their literals in place. */
  readonly commands: string[];
  close(): Promise<void>;
}

export async function startImapServer(capabilities = 'IMAP4rev1 MOVE'): Promise<ImapServer> {
  const mailboxes = new Map<string, StoredMail[]>([['INBOX', []]]);
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('* OK ready\r\n');
    const talk = new Talk(socket, mailboxes, capabilities);
    onCommands(socket, (words) => {
      commands.push(words.slice(1).join(' '));
      talk.answer(words);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    mailboxes,
    commands,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Words of each command: the line at its blanks, and each literal as one word. */
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
      const literal = /\{(\d+)\}$/.exec(line);
      words.push(...line.slice(0, literal?.index).split(' ').filter(Boolean));
      if (literal === null) {
        take(words);
        words = [];
      } else {
        wanted = Number(literal[1]);
        socket.write('+ go on\r\n');
      }
    }
  });
}

class Talk {
  #selected = '';

  constructor(
    private readonly socket: Socket,
    private readonly mailboxes: Map<string, StoredMail[]>,
    private readonly capabilities: string,
  ) {}

  answer([tag = '', ...words]: string[]): void {
    const verb = words[0] === 'UID' ? `UID ${words[1]}` : (words[0] ?? '');
    const rest = words.slice(words[0] === 'UID' ? 2 : 1);
    const problem = this.#do(verb, rest);
    this.socket.write(`${tag} ${problem ?? 'OK done'}\r\n`);
  }

  get #mails(): StoredMail[] {
    return this.mailboxes.get(this.#selected) ?? [];
  }

  /** Null, or why not. */
  #do(verb: string, rest: string[]): string | null {
    const [first = '', second = ''] = rest;
    const mail = this.#mails.find(({ uid }) => uid === Number(first));
    switch (verb) {
      case 'CAPABILITY':
        this.socket.write(`* CAPABILITY ${this.capabilities}\r\n`);
        return null;
      case 'LOGIN':
        return first === 'ada' && second === 'sesame' ? null : 'NO [AUTHENTICATIONFAILED] no';
      case 'LIST':
        for (const name of this.mailboxes.keys()) this.socket.write(`* LIST (\\HasNoChildren) "/" "${name}"\r\n`);
        return null;
      case 'SELECT':
      case 'EXAMINE':
        if (!this.mailboxes.has(first)) return 'NO [NONEXISTENT] no such mailbox';
        this.#selected = first;
        return null;
      case 'UID SEARCH':
        this.socket.write(`* SEARCH ${this.#found(rest).join(' ')}\r\n`);
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
        const target = this.mailboxes.get(second);
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
    this.mailboxes.set(
      this.#selected,
      this.#mails.filter((mail) => mail.uid !== uid),
    );
    return null;
  }

  #found(criteria: string[]): number[] {
    const words = criteria[0] === 'CHARSET' ? criteria.slice(2) : criteria;
    const [word = '', text = ''] = words;
    const header = (mail: StoredMail): string => new RegExp(`^${word}: (.*)$`, 'im').exec(mail.raw)?.[1] ?? '';
    const fits = (mail: StoredMail): boolean => {
      if (word === 'UID') return mail.uid === Number(text);
      if (word === 'TEXT') return mail.raw.includes(text);
      if (word === 'FROM' || word === 'SUBJECT') return header(mail).includes(text);
      return !words.includes('UNSEEN') || !mail.flags.has('\\Seen');
    };
    return this.#mails.filter(fits).map(({ uid }) => uid);
  }
}
