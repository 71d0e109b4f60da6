import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An external HTTP server on loopback: counts the requests per path, and answers as the test configures. */
export class Witness {
  readonly #counts = new Map<string, number>();
  readonly #server: Server;
  /** Requests whose client disconnected before the answer. */
  readonly hungUp: string[] = [];

  private constructor(answer: (path: string, count: number, response: ServerResponse) => void) {
    this.#server = createServer((request: IncomingMessage, response) => {
      const path = request.url ?? '';
      const count = this.count(path) + 1;
      this.#counts.set(path, count);
      request.resume();
      response.once('close', () => {
        if (!response.writableEnded) this.hungUp.push(path);
      });
      answer(path, count, response);
    });
  }

  static async open(answer: (path: string, count: number, response: ServerResponse) => void = ok): Promise<Witness> {
    const witness = new Witness(answer);
    witness.#server.listen(0, '127.0.0.1');
    await new Promise((resolve) => witness.#server.once('listening', resolve));
    return witness;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  count(path: string): number {
    return this.#counts.get(path) ?? 0;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Answers 200 with JSON. */
export const ok = (_path: string, _count: number, response: ServerResponse): void =>
  void response.setHeader('content-type', 'application/json').end('{"ok":true}');
