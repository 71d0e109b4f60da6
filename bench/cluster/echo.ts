import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request of a step: which run it was, and when it came, on the clock of `performance.now()`. */
interface Hit {
  readonly run: string;
  readonly at: number;
}

/** What steps of measured runs call: `/<run>?delay=<ms>`. */
export class Echo {
  hits: Hit[] = [];
  readonly #listeners = new Set<(hit: Hit) => void>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://echo');
      const hit = { run: url.pathname.slice(1), at: performance.now() };
      this.hits.push(hit);
      for (const listener of [...this.#listeners]) listener(hit);
      request.resume();
      void sleep(Number(url.searchParams.get('delay') ?? 0)).then(() => response.end('{}'));
    });
  }

  static async open(): Promise<Echo> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Echo(server);
  }

  /** A step that calls here, and is answered after `delayMs`. */
  step(id: string, delayMs: number) {
    const { port } = this.server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/{{ execution.id }}?delay=${delayMs}`;
    return { id, type: 'http_request', config: { method: 'POST', url } };
  }

  /** Resolves with the next request of a run. */
  next(run: string): Promise<Hit> {
    return new Promise((resolve) => {
      const listener = (hit: Hit): void => {
        if (hit.run !== run) return;
        this.#listeners.delete(listener);
        resolve(hit);
      };
      this.#listeners.add(listener);
    });
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
