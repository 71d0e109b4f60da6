import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionView } from '../../contracts/executions/views';
import type { ExecutionDocument } from '../../runtime/mongo/documents';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import type { Part } from '../support/part';
import { Api } from '../support/server';
import { until } from '../support/until';

/** Starts of each workflow: fewer than 100 for each key of the debounce, whose runs remember so many. */
const STARTS = 120;
const KEYS = 3;
const MAX_BATCH = 7;
/** Starts that are sent at a time. */
const SENDERS = 4;
const MAX_ANSWER_MS = 90_000;

interface Sent {
  readonly n: number;
  /** The run that each answer named. */
  readonly runs: readonly string[];
}

describeWith('nats', { own: true })('a cluster whose processes are killed while starts are gathered', () => {
  let cluster: Cluster;
  let api: Api;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'everstep-plans-'));
    const plans = join(dir, 'plans.json');
    const unlimited = { active_workflows: null, executions_per_month: null, concurrent_executions: null };
    writeFileSync(plans, JSON.stringify({ free: unlimited }));
    cluster = (await Cluster.start({ executors: 2, gateways: 2, env: { PLANS_FILE: plans } })) as Cluster;
    api = new Api(cluster.url);
    await api.register('gathering');
  }, 180_000);

  afterAll(async () => {
    await cluster?.remove();
    await rm(dir, { recursive: true, force: true });
  });

  async function workflow(flow: object, config: object): Promise<string> {
    const steps = [{ id: 'all', type: 'set', config }];
    const dsl = { id: 'flow', trigger: { type: 'http' }, ...flow, steps };
    return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Flow', dsl })).id;
  }

  /** Sends a start until it is answered, as a provider does that has an id for each event: to one gateway after the other. */
  const start = (id: string, n: number, first: number): Promise<string> => {
    let attempt = first;
    return until(
      `start ${n} is answered`,
      async () => {
        const { url } = cluster.gateways[attempt++ % cluster.gateways.length] as Part;
        const response = await fetch(`${url}/webhooks/${id}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': `n-${n}` },
          body: JSON.stringify({ n, k: n % KEYS }),
          signal: AbortSignal.timeout(20_000),
        }).catch(() => null);
        const body = (await response?.json().catch(() => null)) as { execution_id?: string } | null | undefined;
        return response?.status === 202 ? body?.execution_id : null;
      },
      MAX_ANSWER_MS,
    );
  };

  /** Sends all starts, each of them again to the other gateway. `after`: called with the number of answered starts. */
  async function sendAll(
    id: string,
    { before, after }: { before(n: number): Promise<unknown>; after?(answered: number): void },
  ): Promise<Sent[]> {
    const sent: Sent[] = [];
    let next = 0;
    const sender = async (): Promise<void> => {
      for (let n = next++; n < STARTS; n = next++) {
        await before(n);
        const run = await start(id, n, n);
        sent.push({ n, runs: [run, await start(id, n, n + 1)] });
        after?.(sent.length);
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    return sent;
  }

  /** Kills a process in the middle of each part of the starts; it is back before the next part is sent. */
  function killer() {
    const victims = [cluster.executors[0], cluster.gateways[0], cluster.executors[1], cluster.gateways[1]] as Part[];
    const part = STARTS / (victims.length + 1);
    const killed: string[] = [];
    const kills: Promise<void>[] = [];
    const kill = async (victim: Part): Promise<void> => {
      await victim.kill();
      await victim.start();
      killed.push(victim.name);
    };
    return {
      killed,
      before: (n: number) =>
        until(`start ${n} may be sent`, () => killed.length >= Math.floor(n / part), MAX_ANSWER_MS),
      after(answered: number): void {
        const victim = victims[kills.length];
        if (victim !== undefined && answered >= part * (kills.length + 0.3)) kills.push(kill(victim));
      },
    };
  }

  const ended = (id: string): Promise<ExecutionView> =>
    until(
      `run ${id} has ended`,
      async () => {
        const { url } = cluster;
        const run = await Object.assign(new Api(url), { token: api.token }).call<ExecutionView>(
          'GET',
          `/api/v1/executions/${id}`,
        );
        return run.status === 'running' ? null : run;
      },
      MAX_ANSWER_MS,
    );

  /** What the runs of a workflow have stored of their starts, once all have ended. */
  async function gathered(workflowId: string, sent: readonly Sent[]) {
    for (const { n, runs } of sent) expect([n, new Set(runs).size]).toEqual([n, 1]);
    const named = new Map<string, number[]>();
    for (const { n, runs } of sent) named.set(runs[0] as string, [...(named.get(runs[0] as string) ?? []), n]);
    const outputs = new Map<string, ExecutionView>();
    for (const id of named.keys()) outputs.set(id, await ended(id));
    const documents = await cluster.db
      .collection<ExecutionDocument>('executions')
      .find({ workflow_id: workflowId })
      .toArray();
    // No run has started that no answer has named.
    expect(documents.map(({ _id }) => _id).sort()).toEqual([...named.keys()].sort());
    const starts = documents.flatMap(({ gathering }) => gathering?.starts ?? []);
    expect([starts.length, new Set(starts).size]).toEqual([STARTS, STARTS]);
    for (const { _id, gathering } of documents)
      expect([_id, gathering?.count, gathering?.starts.length]).toEqual([
        _id,
        named.get(_id)?.length,
        named.get(_id)?.length,
      ]);
    return { named, outputs };
  }

  it('loses none of them and counts none twice, in a debounce and in a batch', async () => {
    const debounced = await workflow(
      { debounce: { period: '1s', max_wait: '4s', key: '{{ trigger.body.k }}' } },
      { n: '{{ trigger.body.n }}', k: '{{ trigger.body.k }}' },
    );
    const batched = await workflow(
      { batch: { max_size: MAX_BATCH, period: '2s' } },
      { all: '{{ map_field(map_field(trigger.events, "body"), "n") }}' },
    );
    const { before, after, killed } = killer();
    const [ofDebounce, ofBatch] = await Promise.all([
      sendAll(debounced, { before }),
      sendAll(batched, { before, after }),
    ]);
    expect(new Set(killed).size).toBe(4);

    const debounce = await gathered(debounced, ofDebounce);
    for (const [id, numbers] of debounce.named) {
      const { status, output } = debounce.outputs.get(id) as ExecutionView;
      const { n, k } = output as { n: number; k: number };
      expect([id, status, new Set(numbers.map((each) => each % KEYS))]).toEqual([id, 'completed', new Set([k])]);
      expect(numbers).toContain(n);
    }
    const batch = await gathered(batched, ofBatch);
    for (const [id, numbers] of batch.named) {
      const { all } = (batch.outputs.get(id) as ExecutionView).output as { all: number[] };
      expect(all.length).toBeLessThanOrEqual(MAX_BATCH);
      expect(all.toSorted((a, b) => a - b)).toEqual(numbers.toSorted((a, b) => a - b));
    }
    const counts = `${debounce.named.size} debounced and ${batch.named.size} batched runs`;
    process.stdout.write(`${2 * STARTS} starts in ${counts}, over kills of ${killed.join(', ')}\n`);
  }, 400_000);
});
