import type { Socket } from 'node:net';
import { EgressError } from '../../lib/egress';

/** The one question that is open on a connection: it is answered, or fails with why the connection ended. */
export class PendingRequest<T> {
  #open: { resolve(resolve: T): void; reject(fault: EgressError): void } | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.once('close', () => {
      const { errored } = socket;
      this.fail(errored instanceof EgressError ? errored : this.#closed());
    });
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** Sends it. @throws EgressError */
  send(bytes: Buffer | string): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#open !== null) throw new Error('there is a question already');
      this.#open = { resolve, reject };
      if (this.socket.destroyed) this.fail(this.#closed());
      else this.socket.write(bytes);
    });
  }

  answer(answer: T): void {
    this.#open?.resolve(answer);
    this.#open = null;
  }

  fail(fault: EgressError): void {
    this.#open?.reject(fault);
    this.#open = null;
  }

  /** For an answer that makes no sense: nothing that comes after it would. */
  end(protocol: string, cause?: unknown): void {
    this.fail(new EgressError('protocol', `${this.host} does not answer as ${protocol} does`, { cause }));
    this.socket.destroy();
  }

  #closed(): EgressError {
    return new EgressError('connect', `${this.host} closed the connection`);
  }
}
