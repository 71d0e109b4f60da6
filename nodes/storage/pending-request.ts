import type { Socket } from 'node:net';
import { EgressError } from '../../lib/egress';

/** The one pending request of a connection. It is resolved by a response, or rejected when the connection ends. */
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

  /** Sends a request. @throws EgressError */
  send(bytes: Buffer | string): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#open !== null) throw new Error('A request is pending already');
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

  /** Ends the connection after a malformed response, as later bytes cannot be interpreted. */
  end(protocol: string, cause?: unknown): void {
    this.fail(new EgressError('protocol', `${this.host} does not answer as ${protocol} does`, { cause }));
    this.socket.destroy();
  }

  #closed(): EgressError {
    return new EgressError('connect', `${this.host} closed the connection`);
  }
}
