/** Message kinds of the MongoDB wire protocol that current drivers send. */
const OP = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;

/** Maximum message size in bytes, as announced in hello. */
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1 << 0;
const MORE_TO_COME = 1 << 1;
const REQUIRED_BITS = 0xffff;

/** A request: one command body, and for OP_MSG the document sequences beside it. */
export interface Request {
  readonly requestId: number;
  /** Framing of the reply. */
  readonly form: 'msg' | 'query';
  readonly body: Buffer;
  readonly sequences: ReadonlyMap<string, Buffer[]>;
  /** The client expects no reply (unacknowledged writes). */
  readonly silent: boolean;
  /** The namespace of an OP_QUERY, such as `admin.$cmd`. */
  readonly namespace?: string;
}

/** Invalid framing: the rest of the connection's bytes cannot be interpreted, so it is closed. */
class FrameError extends Error {}

/** Splits a byte stream into messages. Chunks are kept until a message is complete, so bytes are copied once. */
export class Framer {
  private chunks: Buffer[] = [];
  private size = 0;

  /** The messages completed by this chunk. @throws FrameError for an invalid length */
  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.size += chunk.length;
    const messages: Buffer[] = [];
    for (let length = this.nextLength(); length !== undefined && this.size >= length; length = this.nextLength()) {
      const all = this.joined();
      messages.push(all.subarray(0, length));
      this.size -= length;
      this.chunks = this.size > 0 ? [all.subarray(length)] : [];
    }
    return messages;
  }

  private nextLength(): number | undefined {
    if (this.size < 4) return undefined;
    const first = (this.chunks[0] as Buffer).length >= 4 ? (this.chunks[0] as Buffer) : this.joined();
    const length = first.readInt32LE(0);
    if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new FrameError(`message length ${length}`);
    return length;
  }

  private joined(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks, this.size)];
    return this.chunks[0] as Buffer;
  }
}

/** @throws FrameError for a malformed message or an unsupported kind */
export function parseRequest(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  if (opCode === OP.msg) return parseMsg(message, requestId);
  if (opCode === OP.query) return parseQuery(message, requestId);
  throw new FrameError(opCode === OP.compressed ? 'no compressor was negotiated' : `unknown opcode ${opCode}`);
}

function parseMsg(message: Buffer, requestId: number): Request {
  if (message.length < HEADER_BYTES + 5) throw new FrameError('short OP_MSG');
  const flags = message.readUInt32LE(16);
  if ((flags & REQUIRED_BITS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) !== 0) throw new FrameError('unknown required flag');
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const sequences = new Map<string, Buffer[]>();
  let body: Buffer | undefined;
  let at = 20;
  while (at < end) {
    const kind = message[at++];
    const size = lengthAt(message, at, end);
    if (kind === 0 && body === undefined) body = message.subarray(at, at + size);
    else if (kind === 1) readSequence(message, at + 4, at + size, sequences);
    else throw new FrameError(`section kind ${kind}`);
    at += size;
  }
  if (body === undefined) throw new FrameError('OP_MSG without a body');
  return { requestId, form: 'msg', body, sequences, silent: (flags & MORE_TO_COME) !== 0 };
}

function readSequence(message: Buffer, start: number, end: number, sequences: Map<string, Buffer[]>): void {
  const zero = message.indexOf(0, start);
  if (zero < 0 || zero >= end) throw new FrameError('unterminated sequence name');
  const name = message.toString('utf8', start, zero);
  if (sequences.has(name)) throw new FrameError(`sequence ${name} twice`);
  const documents: Buffer[] = [];
  let at = zero + 1;
  while (at < end) {
    const size = lengthAt(message, at, end);
    documents.push(message.subarray(at, at + size));
    at += size;
  }
  sequences.set(name, documents);
}

function lengthAt(message: Buffer, at: number, end: number): number {
  const size = at + 4 <= end ? message.readInt32LE(at) : -1;
  if (size < 5 || at + size > end) throw new FrameError('length exceeds the message');
  return size;
}

function parseQuery(message: Buffer, requestId: number): Request {
  const zero = message.indexOf(0, 20);
  if (zero < 0) throw new FrameError('unterminated namespace');
  const at = zero + 1 + 8;
  const size = lengthAt(message, at, message.length);
  return {
    requestId,
    form: 'query',
    body: message.subarray(at, at + size),
    sequences: new Map(),
    silent: false,
    namespace: message.toString('utf8', 20, zero),
  };
}

let nextRequestId = 1;

/** The reply to a request around one BSON document. */
export function frameReply(request: Request, body: Uint8Array): Buffer {
  const overhead = request.form === 'msg' ? 21 : 36;
  const frame = Buffer.allocUnsafe(overhead + body.length);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(nextRequestId, 4);
  nextRequestId = (nextRequestId + 1) & 0x7fffffff;
  frame.writeInt32LE(request.requestId, 8);
  frame.writeInt32LE(request.form === 'msg' ? OP.msg : OP.reply, 12);
  frame.fill(0, 16, overhead);
  // OP_REPLY: one document starting at 0, and the bit that says the server awaits data.
  if (request.form === 'query') {
    frame.writeInt32LE(8, 16);
    frame.writeInt32LE(1, 32);
  }
  frame.set(body, overhead);
  return frame;
}
