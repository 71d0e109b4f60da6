import type { Socket } from 'node:net';
import { PollFault, unreadable } from '../fault';

/** A response of a server (RFC 9051 section 7): its line, each literal in it as `{}`, and the literals. */
export interface ImapResponse {
  readonly line: string;
  readonly literals: readonly Buffer[];
}

/** Longest line: a list of two hundred thousand numbers. */
const LONGEST_LINE = 2 * 1024 * 1024;
/** Largest literal: more than is ever asked for. */
const LARGEST_LITERAL = 2 * 1024 * 1024;
const LITERAL = /\{(\d{1,10})\}$/;

/** Reads the responses of a server one by one. Owns: what has come and was not read yet. */
export class Responses {
  #bytes: Buffer = Buffer.alloc(0);
  #fault: PollFault | null = null;
  #wake: (() => void) | null = null;

  constructor(private readonly socket: Socket) {
    socket.on('data', this.#onData);
    socket.on('close', this.#onClose);
  }

  /** Stops listening: somebody else has the socket from now on. @throws PollFault when something has come already */
  release(): void {
    this.socket.off('data', this.#onData);
    this.socket.off('close', this.#onClose);
    // Said in the clear, it would count as said under TLS (CVE-2011-0411).
    if (this.#bytes.length > 0) throw new PollFault('imap_protocol', 'the server speaks before TLS has begun', false);
  }

  async next(): Promise<ImapResponse> {
    const literals: Buffer[] = [];
    let line = '';
    for (;;) {
      const piece = await this.#line();
      const literal = LITERAL.exec(piece);
      line += literal === null ? piece : `${piece.slice(0, literal.index)}{}`;
      if (line.length > LONGEST_LINE) throw unreadable('the mail server answers with a line that has no end');
      if (literal === null) return { line, literals };
      literals.push(await this.#take(Number(literal[1])));
    }
  }

  async #line(): Promise<string> {
    let searched = 0;
    for (;;) {
      const end = this.#bytes.indexOf('\r\n', Math.max(0, searched - 1));
      if (end !== -1) {
        const line = this.#bytes.subarray(0, end).toString('utf8');
        this.#bytes = this.#bytes.subarray(end + 2);
        return line;
      }
      if (this.#bytes.length > LONGEST_LINE) throw unreadable('the mail server answers with a line that has no end');
      searched = this.#bytes.length;
      await this.#more();
    }
  }

  async #take(size: number): Promise<Buffer> {
    if (size > LARGEST_LITERAL) throw unreadable('the mail server sends more than it was asked for');
    while (this.#bytes.length < size) await this.#more();
    const taken = Buffer.from(this.#bytes.subarray(0, size));
    this.#bytes = this.#bytes.subarray(size);
    return taken;
  }

  #more(): Promise<void> {
    if (this.#fault !== null) throw this.#fault;
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        this.#wake = null;
        if (this.#fault !== null) reject(this.#fault);
        else resolve();
      };
    });
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake?.();
  };

  readonly #onClose = (): void => {
    this.#fault = new PollFault('imap_connect', 'the mail server has closed the connection', true);
    this.#wake?.();
  };
}
