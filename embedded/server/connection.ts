import type { Socket } from 'node:net';
import type { Server, Session } from './context';
import { type Answer, dispatch } from './dispatch';
import { replyBytes } from './reply';
import { FrameError, Framer, frameReply, parseRequest, type Request } from './wire';

/** Requests that one connection may have waiting before we stop reading from it. */
const MAX_WAITING = 64;

/**
 * One client connection. Its requests run one after the other, in order. Bytes that cannot be understood end this
 * connection and nothing else.
 */
export class Connection {
  private readonly framer = new Framer();
  private readonly waiting: Request[] = [];
  private busy = false;
  /** `next` is on the stack: answers given at once must not make it call itself. */
  private looping = false;

  constructor(
    private readonly server: Server,
    private readonly session: Session,
    private readonly socket: Socket,
  ) {
    socket.on('data', (chunk) => this.receive(chunk));
    socket.on('drain', () => this.next());
    // The peer going away is ordinary; 'close' follows and the session ends there.
    socket.on('error', () => socket.destroy());
  }

  private receive(chunk: Buffer): void {
    try {
      for (const message of this.framer.push(chunk)) this.waiting.push(parseRequest(message));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.socket.destroy();
      return;
    }
    if (this.waiting.length > MAX_WAITING) this.socket.pause();
    this.next();
  }

  private next(): void {
    if (this.looping) return;
    this.looping = true;
    this.runWaiting();
    this.looping = false;
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
    if (!request.silent && !this.socket.destroyed) this.socket.write(frameReply(request, replyBytes(answer.reply)));
    this.next();
  }
}
