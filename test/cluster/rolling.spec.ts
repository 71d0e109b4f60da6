import { createWorkflow, ended, trigger } from '../e2e/support/runs';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import { Load, statuses } from '../support/load';
import type { Part } from '../support/part';
import { Api } from '../support/server';
import { MAX_WAIT_MS } from './support/eventually';

/** The interval of a load balancer's checks; a stopping gateway serves for longer than that. */
const ASK_MS = 200;
const DELAY_SECONDS = 2;

/** The gateways that report that they are ready, polled as a load balancer does. */
class Balancer {
  #ready: string[] = [];
  #timer: NodeJS.Timeout;
  #next = 0;

  constructor(private readonly urls: () => readonly string[]) {
    this.#timer = setInterval(() => void this.look(), ASK_MS);
  }

  async look(): Promise<void> {
    const asked = await Promise.all(
      this.urls().map(async (url) => {
        const status = await fetch(`${url}/health/ready`).then(
          async (response) => (await response.text(), response.status),
          () => 0,
        );
        return { url, status };
      }),
    );
    this.#ready = asked.flatMap(({ url, status }) => (status === 200 ? [url] : []));
  }

  get url(): string {
    return this.#ready[this.#next++ % this.#ready.length] as string;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

describeWith('nats', { own: true })('a rolling restart of all roles, under load', () => {
  let cluster: Cluster;
  let balancer: Balancer | undefined;

  afterAll(async () => {
    balancer?.close();
    await cluster?.remove();
  });

  it('fails no request and loses no run', async () => {
    cluster = (await Cluster.start({
      executors: 2,
      gateways: 2,
      schedulers: 1,
      env: { SHUTDOWN_DELAY_SECONDS: String(DELAY_SECONDS) },
    })) as Cluster;
    const api = new Api(cluster.url);
    await api.register('rolling');
    const flow = await createWorkflow(api, [
      { id: 'one', type: 'set', config: { n: '{{ trigger.body.n ?? 0 }}' } },
      { id: 'pause', type: 'wait', config: { for: '200ms' } },
      { id: 'two', type: 'set', config: { n: '{{ steps.one.n + 1 }}' } },
    ]);
    const through = new Balancer(() => cluster.gateways.flatMap(({ url }) => (url === null ? [] : [url])));
    balancer = through;
    await through.look();
    const ask = (path: string, n: number) => {
      const client = new Api(through.url);
      return client.ask<{ execution_id: string; n: number }>('POST', `/webhooks/${flow}${path}`, { n });
    };
    const answered = new Load(4, (n) => ask('/sync', n));
    const accepted = new Load(4, (n) => ask('', n));
    // Runs that are in progress all the while.
    const runs = await Promise.all(Array.from({ length: 10 }, () => trigger(api, flow)));

    const replaced = async (old: Part, add: () => Promise<Part>): Promise<void> => {
      await add();
      await through.look();
      expect(await old.stop()).toBe(0);
    };
    for (const old of [...cluster.executors]) await replaced(old, () => cluster.addExecutor());
    for (const old of [...cluster.schedulers]) await replaced(old, () => cluster.addScheduler());
    for (const old of [...cluster.gateways]) await replaced(old, () => cluster.addGateway());

    const [sync, started] = [await answered.stop(), await accepted.stop()];
    expect(statuses(sync)).toEqual({ 200: sync.length });
    expect(sync.filter(({ n, body }) => body.n !== n + 1)).toEqual([]);
    expect(statuses(started)).toEqual({ 202: started.length });
    expect(Math.min(sync.length, started.length)).toBeGreaterThan(50);
    api.url = cluster.url;
    for (const run of [...runs, ...started.map(({ body }) => body.execution_id)])
      expect((await ended(api, run, MAX_WAIT_MS)).status).toBe('completed');
    process.stdout.write(`${sync.length} answered and ${started.length} accepted while all roles were replaced\n`);
  }, 180_000);
});
