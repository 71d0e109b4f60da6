import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster';
import type { Ledger } from '../support/ledger';
import type { Api } from '../support/server';
import { StreamClient } from '../support/sse-client';
import type { Chance } from './chance';
import type { PatientClient } from './client';
import type { Expected, Promises } from './promises';

const RETRY = { max_attempts: 20, initial_interval: '100ms', max_interval: '500ms' };

type Flow = 'sync' | 'accepted' | 'wait' | 'signal' | 'approval' | 'cancel' | 'retry';

/** Workflows that the load runs, by the requests that are sent to them; each returns its run's id. */
export async function makeFlows(api: Api, ledger: Ledger): Promise<Record<Flow, string>> {
  const step = (id: string, query?: string): unknown =>
    ledger.step(id, { retry: RETRY, ...(query === undefined ? {} : { query }) });
  const make = async (id: Flow, steps: unknown[]): Promise<[Flow, string]> => {
    const output = { n: '{{ trigger.body.n }}', run: '{{ execution.id }}' };
    const dsl = { id, trigger: { type: 'http' }, steps, output };
    return [id, (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: id, dsl })).id];
  };
  const flows = [
    await make('sync', [step('one', 'delay=20'), { id: 'sum', type: 'set', config: { n: 1 } }, step('two')]),
    await make('accepted', [
      step('one', 'delay=50'),
      { id: 'pause', type: 'wait', config: { for: '400ms' } },
      step('flaky', 'fail=1'),
      step('two'),
    ]),
    await make('wait', [step('one'), { id: 'pause', type: 'wait', config: { for: '3s' } }, step('two', 'delay=300')]),
    await make('signal', [
      step('one'),
      { id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } },
      step('two', 'delay=50'),
    ]),
    await make('approval', [step('one'), { id: 'ask', type: 'approval', config: { message: 'Go on?' } }, step('two')]),
    await make('cancel', [step('one'), step('long', 'delay=30000'), step('never')]),
    await make('retry', [
      step('one'),
      { id: 'no', type: 'fail', if: '{{ trigger.body.fail ?? false }}', config: { message: 'asked to fail' } },
      step('two'),
    ]),
  ];
  return Object.fromEntries(flows) as Record<Flow, string>;
}

interface Started {
  readonly n: number;
  readonly run: string;
}

/** Clients that use all kinds of requests of a cluster, and record the expected results. */
export class Workload {
  #n = 0;
  /** Requests without a final answer at the deadline: their runs may exist, unknown to all clients. */
  abandoned = 0;

  constructor(
    private readonly parts: {
      readonly cluster: Cluster;
      readonly client: PatientClient;
      readonly promises: Promises;
      readonly flows: Record<Flow, string>;
      readonly chance: Chance;
      readonly token: string;
    },
  ) {}

  /** Starts runs until `loadUntil`, then only ends those that it has started, until `deadline`. */
  async run(clients: number, loadUntil: number, deadline: number): Promise<void> {
    const client = async (): Promise<void> => {
      while (Date.now() < loadUntil) {
        await this.#story(deadline);
        await sleep(this.parts.chance.between(50, 400));
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  #story(deadline: number): Promise<void> {
    const story = this.parts.chance.pick<(deadline: number) => Promise<void>>([
      [6, (d) => this.#sync(d)],
      [5, (d) => this.#accepted(d, 'accepted')],
      [3, (d) => this.#accepted(d, 'wait')],
      [3, (d) => this.#messaged(d, 'signal', 'go', { go: true })],
      [2, (d) => this.#messaged(d, 'approval', 'approve-ask', { approved: true })],
      [2, (d) => this.#cancelled(d)],
      [2, (d) => this.#retried(d)],
    ]);
    return story(deadline);
  }

  /** Waits for the result, with retries under one key: one run, whatever happens in between. */
  async #sync(deadline: number): Promise<void> {
    const { client, promises, flows } = this.parts;
    const n = this.#n++;
    const ask = () =>
      client.once<{ n: number; run: string }>('POST', `/webhooks/${flows.sync}/sync`, { n }, keyed(`sync-${n}`));
    const answer = await client.patiently(ask, [200], deadline);
    if (answer === null) return void this.abandoned++;
    if (answer.body.n !== n) promises.faults.push(`the answer to ${n} is ${JSON.stringify(answer.body)}`);
    promises.accept({ run: answer.body.run, kind: 'sync', ends: ['completed'], output: { n }, stream: null });
  }

  async #accepted(deadline: number, flow: 'accepted' | 'wait'): Promise<void> {
    const started = await this.#start(deadline, flow);
    if (started !== null) this.#promise(started, flow, ['completed'], this.#maybeFollow(started.run));
  }

  /** Sends a message as soon as the start is answered, so sometimes before the run waits for it. */
  async #messaged(deadline: number, flow: 'signal' | 'approval', signal: string, data: object): Promise<void> {
    const { client } = this.parts;
    const started = await this.#start(deadline, flow);
    if (started === null) return;
    this.#promise(started, flow, ['completed'], this.#maybeFollow(started.run));
    await sleep(this.parts.chance.between(0, 1_500));
    const path = `/api/v1/executions/${started.run}/signal`;
    const send = () => client.once('POST', path, { signal, data }, keyed(`${flow}-${started.n}-message`));
    // 409: it was decided by an earlier request whose answer was lost.
    if ((await client.patiently(send, [202, 409], deadline)) === null) this.abandoned++;
  }

  async #cancelled(deadline: number): Promise<void> {
    const { client } = this.parts;
    const started = await this.#start(deadline, 'cancel');
    if (started === null) return;
    this.#promise(started, 'cancel', ['cancelled'], this.#maybeFollow(started.run));
    await sleep(this.parts.chance.between(0, 1_500));
    const cancel = () => client.once('POST', `/api/v1/executions/${started.run}/cancel`);
    if ((await client.patiently(cancel, [202, 409], deadline)) === null) this.abandoned++;
  }

  /** A run that fails, then a retry that resumes from the failed step. */
  async #retried(deadline: number): Promise<void> {
    const { client, flows } = this.parts;
    const failed = await this.#start(deadline, 'retry', { fail: true });
    if (failed === null) return;
    this.#promise(failed, 'failed', ['failed'], null);
    const ended = () => client.once<{ status: string }>('GET', `/api/v1/executions/${failed.run}`);
    while (Date.now() < deadline && (await ended()).body?.status !== 'failed') await sleep(200);
    const body = { from_step: 'no', input: { body: { n: failed.n, fail: false } } };
    const path = `/api/v1/executions/${failed.run}/retry`;
    const retry = () => client.once<{ id: string }>('POST', path, body, keyed(`retry-${failed.n}-${flows.retry}`));
    const answer = await client.patiently(retry, [202], deadline);
    if (answer === null) return void this.abandoned++;
    this.#promise({ n: failed.n, run: answer.body.id }, 'retry', ['completed'], null);
  }

  async #start(deadline: number, flow: Flow, more: object = {}): Promise<Started | null> {
    const { client, flows } = this.parts;
    const n = this.#n++;
    const ask = () =>
      client.once<{ execution_id: string }>('POST', `/webhooks/${flows[flow]}`, { n, ...more }, keyed(`${flow}-${n}`));
    const answer = await client.patiently(ask, [202], deadline);
    if (answer !== null) return { n, run: answer.body.execution_id };
    this.abandoned++;
    return null;
  }

  #promise({ n, run }: Started, kind: string, ends: Expected[], stream: StreamClient | null): void {
    this.parts.promises.accept({ run, kind, ends, output: ends.includes('completed') ? { n } : null, stream });
  }

  /** One run in five is followed by a stream, at any gateway. */
  #maybeFollow(run: string): StreamClient | null {
    const { cluster, chance, token } = this.parts;
    if (chance.next() > 0.2) return null;
    const url = (): string => cluster.urls[chance.between(0, cluster.urls.length - 1)] ?? 'http://127.0.0.1:1';
    return new StreamClient(url, `/api/v1/executions/${run}/stream`, token);
  }
}

const keyed = (key: string): Record<string, string> => ({ 'idempotency-key': key });
