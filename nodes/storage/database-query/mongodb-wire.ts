import type { Socket } from 'node:net';
import { deserialize, type Document, serialize } from 'bson';
import { EgressError, MAX_INTAKE_BYTES } from '../../../lib/egress';

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** The header, four bytes of flags, and the kind of the one section. */
const BEFORE_DOCUMENT = HEADER_BYTES + 5;

/**
 * Commands of MongoDB over one connection (OP_MSG), one at a time. Written here because the driver trusts its servers: a
 * length of zero, or a list that is none in their greeting, ends the process that it is in or keeps it busy for ever.
 */
export class Wire {
  #waiting: { readonly id: number; resolve(reply: Document): void; reject(fault: EgressError): void } | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #lastId = 0;

  constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('close', () => {
      const { errored } = socket;
      this.#fail(
        errored instanceof EgressError ? errored : new EgressError('connect', `${host} closed the connection`),
      );
    });
  }

  /** The reply as it is; whether it is a refusal is the caller's to see. @throws EgressError */
  ask(database: string, command: Document): Promise<Document> {
    return new Promise((resolve, reject) => {
      if (this.#waiting !== null) throw new Error('there is a question already');
      const id = ++this.#lastId;
      this.#waiting = { id, resolve, reject };
      const document = serialize({ ...command, $db: database }, { ignoreUndefined: true });
      const head = Buffer.alloc(BEFORE_DOCUMENT);
      head.writeInt32LE(BEFORE_DOCUMENT + document.length, 0);
      head.writeInt32LE(id, 4);
      head.writeInt32LE(OP_MSG, 12);
      if (this.socket.destroyed) this.#fail(new EgressError('connect', `${this.host} closed the connection`));
      else this.socket.write(Buffer.concat([head, document]));
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < HEADER_BYTES) return;
    const start = this.#gather(HEADER_BYTES);
    const length = start.readInt32LE(0);
    if (length <= BEFORE_DOCUMENT || length > MAX_INTAKE_BYTES || start.readInt32LE(12) !== OP_MSG)
      return this.#nonsense();
    if (this.#bytes < length) return;
    const message = this.#gather(length);
    // There is one reply to each question, and nothing else comes unasked.
    if (message.length !== length || message.readInt32LE(8) !== this.#waiting?.id || message[20] !== 0)
      return this.#nonsense();
    const waiting = this.#waiting;
    this.#chunks = [];
    this.#bytes = 0;
    try {
      const reply = deserialize(message.subarray(BEFORE_DOCUMENT), { promoteLongs: false });
      this.#waiting = null;
      waiting.resolve(reply);
    } catch (cause) {
      this.#nonsense(cause);
    }
  }

  /** The first bytes that have come, `enough` at least, in one piece. */
  #gather(enough: number): Buffer {
    const first = this.#chunks[0] as Buffer;
    if (first.length >= enough) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }

  #nonsense(cause?: unknown): void {
    this.#fail(new EgressError('protocol', `${this.host} does not answer as MongoDB does`, { cause }));
    this.socket.destroy();
  }

  #fail(fault: EgressError): void {
    this.#waiting?.reject(fault);
    this.#waiting = null;
  }
}
