import type { Socket } from 'node:net';
import type { PoolClient } from '../../../lib/client-pool';
import { resetReceivedBytes } from '../../../lib/egress';
import { PendingRequest } from '../pending-request';

/** A reply, with text as bytes. Errors are values, too, as they can be elements of a list. */
export type Reply = Buffer | string | number | null | Refusal | Reply[];

/** An error of the server's, such as `WRONGTYPE Operation against a key ...`. */
export class Refusal {
  constructor(readonly text: string) {}
}

const MAX_DEPTH = 16;
const MAX_LINE = 64 * 1024;

/**
 * One connection to Redis (RESP, version 2), one command at a time. A client library is made for long-lived connections to
 * trusted servers; configuring one for the opposite would be longer than this.
 */
export class RedisWire implements PoolClient {
  readonly #replies = new Replies();
  readonly #question: PendingRequest<Reply>;

  #used = false;

  constructor(
    readonly socket: Socket,
    host: string,
  ) {
    this.#question = new PendingRequest(socket, host);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** @throws EgressError */
  ask(...words: string[]): Promise<Reply> {
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    return this.#question.send(`*${words.length}\r\n${parts.join('')}`);
  }

  /** A connection that was idle may be lost: that must not show in the middle of a change. */
  async begin(): Promise<void> {
    resetReceivedBytes(this.socket);
    if (this.#used) await this.ask('PING');
    this.#used = true;
  }

  /** The commands that are taken leave nothing behind in a session. */
  async reset(): Promise<void> {}

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      const reply = this.#replies.take(chunk);
      if (reply === undefined) return;
      if (!this.#question.isOpen) throw new Error('an answer to no question');
      this.#question.answer(reply);
    } catch (cause) {
      this.#question.end('Redis', cause);
    }
  }
}

/** Parses replies incrementally, each byte once. */
export class Replies {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** So many bytes are needed to go on. */
  #enough = 1;
  /** Length of the text that is being waited for; null between texts. */
  #text: number | null = null;
  /** Lists that are not whole, the outermost first. */
  readonly #lists: { readonly items: Reply[]; readonly length: number }[] = [];

  /** The reply that these bytes complete, or undefined. @throws Error if it is malformed */
  take(chunk: Buffer): Reply | undefined {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= this.#enough) {
      const value = this.#text === null ? this.#line() : this.#bulk(this.#text);
      if (value === undefined) continue;
      const whole = this.#place(value);
      if (whole === undefined) continue;
      if (this.#bytes > 0) throw new Error('more than one answer');
      return whole;
    }
    return undefined;
  }

  /** A value goes into the innermost list that is not whole, and a list that is whole by it likewise. */
  #place(value: Reply): Reply | undefined {
    for (let placed = value; ; ) {
      const list = this.#lists.at(-1);
      if (list === undefined) return placed;
      list.items.push(placed);
      if (list.items.length < list.length) return undefined;
      this.#lists.pop();
      placed = list.items;
    }
  }

  /** The value of a line; undefined if it needs further bytes. */
  #line(): Reply | undefined {
    const bytes = this.#gather();
    const end = bytes.indexOf('\r\n', 0, 'latin1');
    if ((end < 0 ? bytes.length : end) > MAX_LINE) throw new Error('a line without end');
    if (end < 0) {
      this.#enough = bytes.length + 1;
      return undefined;
    }
    const [kind, rest] = [bytes.toString('latin1', 0, 1), bytes.toString('utf8', 1, end)];
    this.#drop(end + 2);
    if (kind === '+') return rest;
    if (kind === '-') return new Refusal(rest);
    const number = wholeNumber(rest);
    if (kind === ':') return number;
    if (number === -1) return null;
    if (number < 0 || (kind !== '$' && kind !== '*')) throw new Error('no kind of answer');
    if (kind === '*') return this.#list(number);
    this.#text = number;
    this.#enough = number + 2;
    return undefined;
  }

  #bulk(length: number): Buffer {
    const text = this.#gather().subarray(0, length);
    this.#text = null;
    this.#drop(length + 2);
    return text;
  }

  #list(length: number): Reply[] | undefined {
    if (length === 0) return [];
    if (this.#lists.length >= MAX_DEPTH) throw new Error('lists in lists without end');
    this.#lists.push({ items: [], length });
    return undefined;
  }

  #gather(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  #drop(bytes: number): void {
    this.#chunks = [this.#gather().subarray(bytes)];
    this.#bytes -= bytes;
    this.#enough = 1;
  }
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,19}$/.test(text)) throw new Error('no number');
  return Number(text);
}
