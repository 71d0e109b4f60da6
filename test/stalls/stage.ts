import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../support/server';
import { until } from '../support/until';

export interface Run {
  readonly id: string;
  readonly status: string;
  readonly output: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

interface FlowOptions {
  readonly body?: unknown;
  /** More members of the document. */
  readonly more?: object;
  /** How the run must end. */
  readonly ends?: 'completed' | 'failed' | 'either';
}

const RUN_MS = 60_000;
const POLL_MS = 20;

/** What the cases work with: a signed-in tenant of the service, and a server on loopback that the service may ask. */
export class Stage {
  readonly #answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  readonly #server: Server;
  #number = 0;
  #notes: string[] = [];

  private constructor(readonly api: Api) {
    this.#server = createServer((request, response) => {
      const path = (request.url ?? '').split('?', 1)[0] as string;
      const answer = this.#answers.get(path);
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
  }

  static async open(url: string, slug: string): Promise<Stage> {
    const stage = new Stage(new Api(url));
    await new Promise<void>((resolve) => stage.#server.listen(0, '127.0.0.1', resolve));
    await stage.api.register(slug);
    return stage;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** A name that no other case has. */
  name(prefix: string): string {
    return `${prefix}_${++this.#number}`;
  }

  /** The base address of the server on loopback. */
  get source(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The address at which the service finds this answer. */
  serve(body: string | Buffer, headers: Record<string, string> = { 'content-type': 'application/json' }): string {
    return this.answer((_request, response) => void response.writeHead(200, headers).end(body));
  }

  answer(answer: (request: IncomingMessage, response: ServerResponse) => void): string {
    const path = `/${this.name('answer')}`;
    this.#answers.set(path, answer);
    return this.source + path;
  }

  async save(steps: readonly unknown[], more: object = {}): Promise<string> {
    const dsl = { id: 'flow', trigger: { type: 'http' }, steps, ...more };
    return (await this.api.call<{ id: string }>('POST', '/api/v1/workflows', { name: this.name('flow'), dsl })).id;
  }

  /** Saves a workflow, starts it by its webhook, and waits for its end. @throws Error when it ends otherwise than it must */
  async flow(steps: readonly unknown[], { body = {}, more = {}, ends = 'completed' }: FlowOptions = {}): Promise<Run> {
    return this.start(await this.save(steps, more), body, ends);
  }

  async start(workflow: string, body: unknown, ends: FlowOptions['ends'] = 'completed'): Promise<Run> {
    const started = await this.api.call<{ execution_id?: string; id?: string }>('POST', `/webhooks/${workflow}`, body);
    const id = started.execution_id ?? started.id;
    if (id === undefined) throw new Error(`The webhook answered without an id: ${JSON.stringify(started)}`);
    const run = await until(
      `execution ${id} ends`,
      async () => {
        await sleep(POLL_MS);
        const { data } = await this.api.call<{ data: Run[] }>('GET', `/api/v1/executions?limit=20`);
        const found = data.find((one) => one.id === id);
        return found === undefined || found.status === 'running' ? null : found;
      },
      RUN_MS,
    );
    this.#notes.push(`${run.status} ${await this.errorOf(id)}`);
    const fits = ends === 'either' ? run.status !== 'cancelled' : run.status === ends;
    if (!fits) throw new Error(`The run ended ${run.status}: ${await this.errorOf(id)}`);
    return run;
  }

  private async errorOf(id: string): Promise<string> {
    const { error } = await this.api.call<{ error: Run['error'] }>('GET', `/api/v1/executions/${id}`);
    return error === null ? '' : `${error.code}: ${error.message.slice(0, 200)}`;
  }

  /** What the service answered since the last call, for people who look whether a case does what it is about. */
  takeNotes(): string {
    return this.#notes.splice(0).join(', ');
  }

  /** Cancels all runs of the tenant, and waits until none is left. */
  async endRuns(): Promise<void> {
    await until(
      'all runs have ended',
      async () => {
        const { data } = await this.api.call<{ data: Run[] }>('GET', '/api/v1/executions?status=running&limit=200');
        for (const { id } of data) await this.api.ask('POST', `/api/v1/executions/${id}/cancel`);
        return data.length === 0;
      },
      RUN_MS,
    );
  }

  /** A request with this body as it is; its status. @throws Error for an answer that is not one of `statuses` */
  async send(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    { headers = {}, statuses }: { headers?: Record<string, string>; statuses: readonly number[] },
  ): Promise<number> {
    const response = await fetch(this.api.url + path, {
      method,
      headers: { authorization: `Bearer ${this.api.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    });
    const text = await response.text();
    this.#notes.push(String(response.status));
    if (!statuses.includes(response.status))
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
    return response.status;
  }

  /** Opens a stream of events and leaves it open; answers how to close it. */
  async follow(path: string, token = ''): Promise<() => void> {
    const { hostname, port } = new URL(this.api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.resume();
    const credential = token === '' ? '' : `authorization: Bearer ${token}\r\n`;
    const request = `GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${credential}accept: text/event-stream\r\n\r\n`;
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    return () => void socket.destroy();
  }
}
