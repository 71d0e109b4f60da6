import type { Socket } from 'node:net';
import { EgressError, MAX_INTAKE_BYTES } from '../../../lib/egress';
import { DatabaseError } from './contract';
import { refusalOf } from './postgres-errors';

/** One message of a server: a letter, and what belongs to it. */
export interface Message {
  readonly type: string;
  readonly body: Reader;
}

/** What comes unasked: notices, settings, notifications. */
const ASIDES = new Set(['N', 'S', 'A']);
const HEADER_BYTES = 5;
const DATA_ROW = 'D'.charCodeAt(0);

/**
 * PostgreSQL's protocol, version 3, over one connection. Written here because clients trust their servers: an error
 * message without its end would keep one busy for ever, and with it the process that it is in.
 */
export class PostgresWire {
  readonly #messages: Message[] = [];
  #waiting: { resolve(message: Message): void; reject(fault: EgressError): void } | null = null;
  #ended: EgressError | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('close', () => {
      const { errored } = socket;
      this.#end(errored instanceof EgressError ? errored : new EgressError('connect', `${host} closed the connection`));
    });
  }

  /** Sends messages that `frame` has made, in one piece. */
  send(...frames: Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames));
  }

  /** The next message that answers something. @throws EgressError, and DatabaseError for a message that is an error */
  async next(): Promise<Message> {
    const message = await this.#any();
    if (message.type === 'E') throw refusalOf(message.body);
    return message;
  }

  /** The messages up to the end of an answer, errors aside: what comes after one. @throws EgressError */
  async rest(): Promise<void> {
    for (;;) {
      const { type } = await this.#any();
      if (type === 'Z') return;
    }
  }

  /** Said when a message makes no sense. */
  nonsense(cause?: unknown): EgressError {
    this.socket.destroy();
    return new EgressError('protocol', `${this.host} does not answer as PostgreSQL does`, { cause });
  }

  close(): void {
    this.send(frame('X'));
    this.socket.destroySoon();
  }

  #any(): Promise<Message> {
    const message = this.#messages.shift();
    if (message !== undefined) return Promise.resolve(message);
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (;;) {
      if (this.#bytes < HEADER_BYTES) return;
      const length = this.#gather(HEADER_BYTES).readUInt32BE(1) + 1;
      if (length < HEADER_BYTES || length > MAX_INTAKE_BYTES) return this.#end(this.#refuse(length));
      if (this.#bytes < length) return;
      const whole = this.#gather(length);
      this.#chunks[0] = whole.subarray(length);
      this.#bytes -= length;
      const type = String.fromCharCode(whole[0] as number);
      if (!ASIDES.has(type)) this.#tell({ type, body: new Reader(whole.subarray(HEADER_BYTES, length)) });
    }
  }

  #refuse(length: number): EgressError {
    const nonsense = this.nonsense();
    if (length <= MAX_INTAKE_BYTES || this.#chunks[0]?.[0] !== DATA_ROW) return nonsense;
    return new EgressError('too_large', `${this.host} answers with a row of more than ${MAX_INTAKE_BYTES} bytes`);
  }

  /** What has come, in a piece of at least so many bytes. */
  #gather(enough: number): Buffer {
    if ((this.#chunks[0] as Buffer).length < enough) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  #tell(message: Message): void {
    if (this.#waiting === null) this.#messages.push(message);
    else this.#waiting.resolve(message);
    this.#waiting = null;
  }

  #end(fault: EgressError): void {
    this.#ended ??= fault;
    this.#waiting?.reject(this.#ended);
    this.#waiting = null;
  }
}

/** Values from bytes, never beyond their end. @throws RangeError, DatabaseError there */
export class Reader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  get done(): boolean {
    return this.#at >= this.bytes.length;
  }

  int16(): number {
    this.#at += 2;
    return this.bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.bytes.readInt32BE(this.#at - 4);
  }

  /** Up to the next zero. */
  text(): string {
    const end = this.bytes.indexOf(0, this.#at);
    if (end < 0) throw cutOff();
    const text = this.bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  take(length = this.bytes.length - this.#at): Buffer {
    if (length < 0 || this.#at + length > this.bytes.length) throw cutOff();
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }
}

const cutOff = (): DatabaseError => new DatabaseError('protocol', 'the server sent a message that is cut off', null);

/** A message of the client: a letter, its length, and these parts. Numbers have two bytes, but for those of `int32`. */
export function frame(type: string, ...parts: (Buffer | string | number)[]): Buffer {
  const body = Buffer.concat(parts.map(bytesOf));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Texts end with a zero. */
function bytesOf(part: Buffer | string | number): Buffer {
  if (typeof part === 'string') return Buffer.from(`${part}\0`);
  if (typeof part !== 'number') return part;
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(part);
  return bytes;
}
