import type { Socket } from 'node:net';
import { deserialize, type Document, serialize } from 'bson';
import type { PoolClient } from '../../../lib/client-pool';
import { MAX_RECEIVED_BYTES } from '../../../lib/egress';
import { PendingRequest } from '../pending-request';

const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** The header, four bytes of flags, and the kind of the one section. */
const BEFORE_DOCUMENT = HEADER_BYTES + 5;

/**
 * MongoDB commands over one connection (OP_MSG), one at a time. Not by the driver, which trusts its servers: a length of
 * zero, or a malformed list in the greeting, ends the process or causes an endless loop.
 */
export class Wire implements PoolClient {
  readonly #question: PendingRequest<Document>;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #lastId = 0;
  /** True if it has been used before. */
  used = false;

  constructor(
    readonly socket: Socket,
    host: string,
  ) {
    this.#question = new PendingRequest(socket, host);
    socket.on('data', (chunk: Buffer) => {
      try {
        this.#take(chunk);
      } catch (cause) {
        this.#question.end('MongoDB', cause);
      }
    });
  }

  /** The reply, which may be an error. @throws EgressError */
  ask(database: string, command: Document): Promise<Document> {
    const document = serialize({ ...command, $db: database }, { ignoreUndefined: true });
    const head = Buffer.alloc(BEFORE_DOCUMENT);
    head.writeInt32LE(BEFORE_DOCUMENT + document.length, 0);
    head.writeInt32LE(++this.#lastId, 4);
    head.writeInt32LE(OP_MSG, 12);
    return this.#question.send(Buffer.concat([head, document]));
  }

  /** A connection has no state but its login. */
  async reset(): Promise<void> {}

  close(): void {
    this.socket.destroy();
  }

  /** @throws Error for what makes no sense */
  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < HEADER_BYTES) return;
    const start = this.#gather(HEADER_BYTES);
    const length = start.readInt32LE(0);
    if (length <= BEFORE_DOCUMENT || length > MAX_RECEIVED_BYTES || start.readInt32LE(12) !== OP_MSG) {
      throw new Error('no message');
    }
    if (this.#bytes < length) return;
    const message = this.#gather(length);
    // There is one reply to each question, and nothing else comes unasked.
    const expected = this.#question.isOpen && message.readInt32LE(8) === this.#lastId;
    if (!expected || message.length !== length || message[20] !== 0) throw new Error('not the reply');
    this.#chunks = [];
    this.#bytes = 0;
    this.#question.answer(deserialize(message.subarray(BEFORE_DOCUMENT), { promoteLongs: false }));
  }

  /** The first bytes that have come, `enough` at least, in one piece. */
  #gather(enough: number): Buffer {
    const first = this.#chunks[0] as Buffer;
    if (first.length >= enough) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
