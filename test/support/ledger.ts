import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One request that arrived. */
export interface Arrival {
  readonly run: string;
  readonly step: string;
  /** The Idempotency-Key: one step of one run, whatever the attempt. */
  readonly key: string;
  readonly at: number;
}

/**
 * An external system on loopback that stores every request to `/<run>/<step>`: the effects of a cluster, kept outside of its
 * processes. `?delay=<ms>` answers late, `?fail=<n>` refuses the first n with 503.
 */
export class Ledger {
  readonly arrivals: Arrival[] = [];
  readonly #byRun = new Map<string, Arrival[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
  }

  static async open(): Promise<Ledger> {
    const ledger = new Ledger();
    ledger.#server.keepAliveTimeout = 60_000;
    ledger.#server.listen(0, '127.0.0.1');
    await once(ledger.#server, 'listening');
    return ledger;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What arrived for a run, in order; of one step when it is named. */
  of(run: string, step?: string): Arrival[] {
    const all = this.#byRun.get(run) ?? [];
    return step === undefined ? all : all.filter((one) => one.step === step);
  }

  /** A step that posts to the ledger. Its id is the name under which it is booked. */
  step(id: string, more: { query?: string; retry?: unknown; timeout?: string; on_error?: string } = {}): unknown {
    const { query, ...rest } = more;
    const url = `${this.url}/{{ execution.id }}/${id}${query === undefined ? '' : `?${query}`}`;
    return { id, type: 'http_request', config: { method: 'POST', url }, ...rest };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://ledger');
    const [, run = '', step = ''] = pathname.split('/');
    const arrival = { run, step, key: String(request.headers['idempotency-key']), at: Date.now() };
    request.resume();
    this.arrivals.push(arrival);
    const booked = this.#byRun.get(run) ?? [];
    this.#byRun.set(run, booked);
    booked.push(arrival);
    await sleep(Number(searchParams.get('delay') ?? 0), undefined, { ref: false });
    const refused = booked.filter((one) => one.step === step).length <= Number(searchParams.get('fail') ?? 0);
    response.statusCode = refused ? 503 : 200;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ run, step, ok: !refused }));
  }
}
