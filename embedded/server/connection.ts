import type { Socket } from 'node:net';
import type { Server, Session } from './context';
import { type Answer, dispatch } from './dispatch';
import { ServerError } from '../bson/error';
import { errorReply, type Reply, replyBytes } from './reply';
import { Framer, frameReply, parseRequest, type Request } from './wire';

/** Maximum pipelined requests of a connection before reading pauses. */
const MAX_WAITING = 64;

/** A client connection. Its requests run one after another, in order. Invalid bytes close this connection only. */
export class Connection {
  private readonly framer = new Framer();
  private readonly waiting: Request[] = [];
  private busy = false;
  /** `next` is on the stack: synchronous replies must not recurse. */
  private looping = false;

  constructor(
    private readonly server: Server,
    private readonly session: Session,
    private readonly socket: Socket,
  ) {
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('drain', () => this.next());
    // A reset by the peer is normal; 'close' follows and ends the session.
    socket.on('error', () => socket.destroy());
  }

  private receive(chunk: Buffer): void {
    try {
      for (const message of this.framer.push(chunk)) this.waiting.push(parseRequest(message));
    } catch {
      this.socket.destroy();
      return;
    }
    if (this.waiting.length > MAX_WAITING) this.socket.pause();
    this.next();
  }

  private next(): void {
    if (this.looping) return;
    this.looping = true;
    try {
      this.runWaiting();
    } finally {
      this.looping = false;
    }
  }

  private runWaiting(): void {
    while (!this.busy && !this.socket.destroyed && !this.socket.writableNeedDrain) {
      const request = this.waiting.shift();
      if (request === undefined) {
        if (this.socket.isPaused()) this.socket.resume();
        return;
      }
      this.busy = true;
      dispatch(this.server, this.session, request, (answer) => this.finish(request, answer));
    }
  }

  private finish(request: Request, answer: Answer): void {
    this.busy = false;
    if (answer.kind === 'cut') {
      this.socket.destroy();
      return;
    }
    if (!request.silent && !this.socket.destroyed) this.socket.write(replyFrame(request, answer.reply));
    this.next();
  }
}

/** A reply that cannot be encoded fails its request only. */
function replyFrame(request: Request, reply: Reply): Buffer {
  try {
    return frameReply(request, replyBytes(reply));
  } catch (error) {
    return frameReply(request, replyBytes(errorReply(new ServerError('InternalError', String(error)))));
  }
}
